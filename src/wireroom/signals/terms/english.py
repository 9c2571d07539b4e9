"""Phrases of terms of service in English, as of 2026-11. Data only."""

from __future__ import annotations

from typing import Final

from wireroom.signals.terms.phrases import Phrases

_CONSENT: Final = (
    r"(?:permissions?|consent|approval|authori[sz]ation|agreement|licen[cs]es?|written contract)"
)
_USES: Final = (
    r"(?:used|read|viewed|printed|downloaded|copied|reproduced|quoted|cited|archived|stored|cached|crawled"
    r"|scraped|indexed|mined|shared|distributed|redistributed|republished|embedded|displayed|linked"
    r"|reused|saved|accessed|subscribed|kept)"
)
_YOU: Final = (
    r"(?:you|users?|readers?|visitors?|subscribers?|members?|any(?:one|body)|every(?:one|body)"
    r"|individuals?|libraries|archives|researchers?|scholars|universit(?:y|ies)|schools?|students"
    r"|search engines?|third parties|bots|crawlers|robots|developers|bloggers|institutions"
    r"|organi[sz]ations|teachers|machines)"
)

PHRASES: Final = Phrases(
    ours=(
        r"(?:we|our (?:company|team|staff|editors)) (?:may|can|could|might|will|shall|would|must)(?: also| not|not)?(?: (?:be able to|allow|permit))?",
        r"(?:we|our \w+) (?:use|uses|employ|apply|rely on|work with|collect|store|process|cache|cannot|are not|do not (?:guarantee|warrant|accept|share|sell|monitor))",
        r"reserves? the right to",
        r"(?:may|might|can|will) (?:not )?be (?:available|unavailable|accurate|inaccurate|complete|incomplete|interrupted|liable|responsible|suitable|delayed|subject|out of date|up to date|error)",
        r"(?:not|no) (?:be )?(?:liable|liability|responsible|guarantee|warrant\w*)",
    ),
    exceptions=(
        rf"without (?:[\w'()/,-]+ ){{0,12}}{_CONSENT}",
        rf"(?:unless|except|save|other than|otherwise than)(?:[\w'()/,:-]| ){{0,120}}?(?:{_CONSENT}|permitted|allowed|authori[sz]ed|agreed|licensed|granted|permits?|by law)(?: [\w-]+){{0,2}}",
        r"(?:except|save|apart from|with the exception of|other than)(?: for| as| in| that| where| when)? (?:[\w'/-]+ ?){1,12}",
        r"(?:beyond|outside of?) what is (?:expressly )?(?:permitted|allowed)",
        r"(?:if|where|to the extent) (?:not |expressly |otherwise )*(?:permitted|prohibited|required|allowed) by (?:\w+ )?law",
    ),
    permission=rf"\w*(?:{_CONSENT}|permit|allow|authori[sz]|agreed|licensed|granted)",
    doubts=(
        r"(?:not|n't|never|nothing|nor|without)(?: [\w',-]+){0,8} (?:prohibit\w*|forbid\w*|forbidden|prevent\w*|object(?:s|ion)? to|oppose\w*|restrict(?:s|ed|ing)?)",
    ),
    forbids=(
        r"(?:may|must|shall|should|can|could)(?: not|n't|not)\b|(?:can|shan|won)'t\b",
        r"(?:you|users?|readers?|visitors?)(?: [\w,]+){0,3} will not\b",
        r"(?:may|must|shall|can) (?:[\w,'-]+ ){1,4}not\b",
        r"(?:may|must|shall|can) (?:\w+ )?(?:under no|in no|at no|never)\b",
        r"(?:under|in) no (?:circumstances?|case|event|way)",
        r"(?:please )?(?:do not|don't|never) (?:attempt|try|use|copy|scrape|crawl|harvest|mine|feed|train|store|archive|republish|reproduce|redistribute|share|download|access|systematically|automatically|reuse|employ)",
        r"do(?:es)? not (?:\w+ )?(?:allow|permit|authori[sz]e|consent|grant|licen[cs]e|agree|tolerate|entitle|include (?:the|any) right|want|wish|accept)",
        r"(?:is|are|be|been|hereby|expressly|strictly)? ?(?:prohibit\w*|forbid\w*|forbade|forbidden|banned|barred|disallow\w*|proscribed|precluded|off[ -]limits)",
        r"(?:not|neither|never|n't) (?:[\w,'-]+ ){0,4}(?:permitted|allowed|authori[sz]ed|licensed|granted|entitled|permissible|acceptable|tolerated)",
        r"no (?:[\w,'-]+ ){0,10}(?:may|shall|can|is|are) (?:[\w,'-]+ ){0,3}(?:be|permitted|allowed|granted|given|licensed|licence|license)\b",
        r"no (?:ai|automated|automatic|scraping|crawling|mining|text|data|copying|archiving|caching|reproduction|redistribution|republication|training|machine|derivative|bots|robots|spiders|scrapers|crawlers|commercial)\b",
        r"(?:agree|undertake|promise|commit|required|obliged|asked) (?:\w+ )?not to",
        r"(?:refrain|abstain|desist) from",
        r"legal (?:action|proceedings|steps)|prosecut\w*|breach of (?:contract|these|our|this)|will be (?:blocked|banned|barred|refused)|may be (?:blocked|banned)|block(?:ed|s)? by us|sanction(?:s|ed)",
        r"do(?:es)? not (?:\w+ )?(?:include|extend to|cover)|not (?:[\w,'-]+ ){0,5}(?:permit|allow)\b",
        r"(?:nor|neither|nobody|no one|none of|but not|and not)\b|nothing (?:[\w,'-]+ ){0,8}(?:permit|allow|authori[sz]|grant|entitl|giv)\w*",
        r"(?:unauthori[sz]ed|unlawful|illegal|infring\w*|breach of these|violation of these|violates?)",
        r"(?:opt(?:s|ed|ing)?[ -]out|objects? to|opposed? to|withhold\w*|refuse\w*|exclud\w+|declines?)",
    ),
    reserves=(
        r"reserv\w* (?:[\w,'-]+ ){0,6}rights?(?! to )",
        r"rights? (?:[\w,'-]+ ){0,12}(?:is|are) (?:\w+ )?reserved",
        r"reservation of rights",
        r"reserv\w* (?:[\w,'-]+ ){0,8}(?:text|data|mining|tdm|use)\b",
    ),
    requires=(
        rf"(?:requires?|needs?|subject to|conditional (?:up)?on|depends? on|only (?:[\w,'-]+ ){{0,5}}(?:with|after|under|by|upon|on)|must (?:first )?(?:obtain|seek|ask|request|apply|acquire)) (?:[\w,'-]+ ){{0,8}}{_CONSENT}",
        rf"(?:prior|written|our|express) (?:[\w,'-]+ ){{0,3}}{_CONSENT} (?:is|must be|has to be) (?:required|needed|necessary|obtained|sought)",
        r"(?:may|can|is|are) (?:[\w'-]+ ){0,4}only\b",
        r"(?:is|are) (?:[\w,'-]+ ){0,4}(?:reserved|restricted|limited|available only|only available) (?:to|for)",
        r"(?:is|are) (?:offered|provided|intended|meant|available|made available|supplied|licensed)(?: [\w,'-]+){0,4} (?:for|to|under)\b",
        r"(?:please )?(?:contact|write to|ask|get in touch with) (?:us|our)(?: [\w,'-]+){0,8}",
        r"(?:is|are) (?:chargeable|subject to (?:a )?(?:fee|charge|payment))",
    ),
    permits=(
        rf"{_YOU}(?: (?!not|never)[\w,'-]+){{0,6}} (?:may|can)\b(?! not|')",
        rf"(?:may|can) (?:[\w'-]+ ){{0,3}}be (?:\w+ )?{_USES}",
        r"(?:is|are|be) (?:[\w'-]+ ){0,3}(?:permitted|allowed|authori[sz]ed|permissible|free to|welcome|entitled|invited|granted|encouraged|fine with us)",
        r"(?:feel|are|be) free to",
        r"we (?:\w+ )?(?:allow|permit|grant|authori[sz]e|encourage|invite|welcome|licen[cs]e|consent to)",
        r"(?:grants?|gives?) (?:you|users|readers|everyone|anyone)",
        r"you have (?:the|our) (?:right|permission)",
        r"(?:no|without (?:any )?) ?(?:permission|licen[cs]e) (?:is )?(?:needed|required|necessary)",
    ),
    shadows=r"not\b|\w+n't\b|no\b|never|neither|nor\b|nobody|none|nothing|without|cannot|unless|except|only|refus\w*|hardly|limited to|solely|subject to",
    turns=r"but|however|whereas|yet|although|though|on the other hand|conversely",
    joints=r"and|or|while|nor",
    personal_data=r"personal (?:data|information)|your (?:data|information|e-?mail)|privacy",
    commercial_only=r"for (?:any )?(?:commercial|profit|business)[ -]?(?:purposes?|use|gain|ends?|reasons)|commercial (?:use|exploitation|text|mining|scraping|crawling|redistribution|reuse)",
    whatever=r"whether|including|even|also|any other|non-?|or\b|and\b|in particular|especially",
    conditions={
        "attribution": r"(?:credit|attribut|acknowledg)\w*|(?:name|nam|cit|mention|indicat)(?:e|es|ed|ing)? (?:[\w,'-]+ ){0,4}(?:us|source|author|publisher|name)|is named|as the source|link(?:s|ed|ing)? (?:back )?to (?:us|the (?:original|article|source)|our)|as long as you name(?: \w+)?|with a link",
        "non-commercial": r"non-?commercial\w*|not for profit|personal,? |private|not (?:be )?(?:sold|for sale|commercial\w*)|are not sold",
        "payment": r"fees?\b|payment|paid\b|(?<!free of )charge[sd]?\b|subscription|royalt\w+|purchase\w*",
        "territory": r"(?:within|inside|in) the (?:european union|eu|united kingdom|united states|eea)",
        "users": r"(?:researchers?|research organi[sz]ations?|librar(?:y|ies)|universit(?:y|ies)|schools?|students|teachers|search engines?|subscribers|registered (?:users|members)|journalists|educational institutions)",
    },
    personal=r"non-?commercial\w*|personal\w*|private\w*|your own (?:use|information|enjoyment)|individual use",
    topics={
        "scraping": (
            r"(?:screen[ -]?|web[ -]?|data[ -]?)?scrap(?:e|es|ed|ing|er|ers)\b",
            r"crawl(?:s|er|ers|ed|ing)?\b",
            r"spiders?\b|robots?\b(?!\.txt)|bots?\b|web ?bots",
            r"harvest(?:s|ed|ing|er)?\b",
            r"automat(?:ed|ic|ically|ic) (?:[\w,/-]+ ){0,3}(?:means|process\w*|access\w*|tools?|systems?|software|quer\w+|devices?|programs?|scripts?|download\w*|extract\w*|collect\w*|retriev\w*|methods?|technolog\w*|requests?|agents?)",
            r"(?:access|download|retriev|extract|collect|gather)\w* (?:[\w,'/-]+ ){0,6}automatically",
            r"systematic(?:ally)? (?:[\w,'/-]+ ){0,4}(?:download|retriev|extract|collect|cop)\w*",
            r"(?:download|retriev|extract|collect|cop)\w* (?:[\w,'/-]+ ){0,6}(?:systematically|in bulk|by machine)",
            r"bulk (?:download|extraction|collection|copying)\w*|data (?:gathering|extraction)",
            r"by (?:machine|automated means)|scripts?\b",
        ),
        "ai_ml": (
            r"artificial[ -]intelligence|a\.?i\.?\b(?!\.txt)|genai|machine[ -]learn\w*|deep[ -]learn\w*",
            r"(?:large )?language[ -]models?|llms?\b|neural net\w*|generative|foundation models?|chat ?bots?",
            r"(?:train|fine-?tun|develop)\w* (?:[\w,'/-]+ ){0,6}(?:models?|algorithms?)\b",
        ),
        "manual_use": (
            r"(?:read|reads|reading|view|views|viewing|viewed|brows\w+|print|prints|printed|printing|bookmark\w*|consult\w*)\b",
            r"(?:personal|private|individual)(?:,? (?:and )?(?:non-?commercial|private|domestic))* (?:use|reference|enjoyment|purposes|study|reading)",
            r"download (?:[\w,'-]+ ){0,2}(?:individual|single|one|a)\b",
            r"(?:link|links|linking) to (?:our|any|the|this|individual)",
        ),
        "archiving": (
            r"archiv(?:e|es|ed|ing|al)\b(?<!our archive)(?<!the archive)|cach(?:e|es|ed|ing)\b",
            r"(?:stor(?:e|es|ed|ing|age)|keep|kept|keeping|retain\w*|preserv\w*|sav(?:e|ed|ing))\b (?:[\w,'-]+ ){0,8}(?:database|retrieval system|cop(?:y|ies)|archive|server|permanently|content|articles?|material|posterity|pages)",
            r"mirror(?:s|ed|ing)?\b",
        ),
        "tdm": (
            r"text[ -](?:and|&|or)[ -]data[ -]?mining|tdm\b|data[ -]?mining|text[ -]?mining",
            r"min(?:e|ed|ing) (?:[\w,'-]+ ){0,3}(?:text|data|content|articles|archive)",
            r"(?:directive )?(?:\(eu\) )?2019/790|44b urhg",
        ),
        "api_rss": (
            r"rss\b|atom feeds?|(?:news|web|xml|json|data|content|our|the|these) ?feeds?\b|feeds\b",
            r"apis?\b|application programming interfaces?",
        ),
        "redistribution": (
            r"(?:re-?)?distribut\w*|(?:re-?)?publish(?:es|ed|ing)?\b|republication|reproduc\w*|(?:re-?)?sell\w*|resale|sublicen[cs]\w*",
            r"(?:re-?)?transmit\w*|broadcast\w*|syndicat\w*|repost\w*|rebroadcast\w*|make (?:[\w,'-]+ ){0,4}available to|pass\w* (?:[\w,'-]+ ){0,2}on\b|hand\w* on\b",
            r"cop(?:y|ied|ying)\b(?! of)(?<!a copy)|translat(?:e|ed|ing)|excerpts?\b|extracts?\b|quot(?:e|es|ed|ing|ations?)\b|commercially exploit\w*|public(?:ly)? display",
        ),
    },
    manual_forbidden=r"manual\w*|by hand|print(?:ed|ing)?\b|personal use",
    derivative=r"derivative (?:works?|products?|materials?)|adaptations?",
    granted_to_us=r"(?:grants?|granting|giv(?:e|es|ing)|assigns?|licen[cs]es?|transfers?) (?:\w+ )?(?:us|to us|our|the publisher|the company|[\w]+ (?:press|media|group|ltd|inc|limited)|harbour)\b",
    reader_content=r"(?:user|reader|member)[ -]?(?:generated )?(?:content|comments?|contributions?|submissions?|posts?)|comments?\b|(?:content|material|anything|whatever|photos?|contributions?|letters?|posts?|submissions?) (?:that )?(?:you|users|readers|members) (?:post|submit|upload|send|contribute|write)\w*|posting|submitting|(?:your|readers'|users'|members') (?:\w+ )?(?:contributions?|submissions?|posts?|letters|content)",
    reuse=r"(?:re-?)?us(?:e|ed|ing)\b|cop(?:y|ied|ying)\b|reproduc\w*|(?:re)?publish\w*|redistribut\w*|scrap\w*|harvest\w*|extract\w*|quot\w*|collect\w*|archiv\w*",
    territory=r"(?:residents?|citizens?|consumers?|users|readers) (?:of|in|from|outside) (?:the )?(?:european|eu\b|uk\b|united|california|germany|france|spain|eea|switzerland|austria|canada|australia)|if you (?:live|reside|are (?:a )?resident|are located) in|(?:outside|within) (?:of )?the (?:european|eu\b|united|eea|uk\b)",
    arbitration=r"arbitrat\w*|class[ -]action waiver|small claims|mediation before",
    titles={
        "terms_of_sale": r"terms (?:and conditions )?of (?:sale|purchase)|subscription terms|sales conditions",
        "terms_of_use": r"terms|conditions of use|user agreement",
        "privacy_policy": r"privacy (?:policy|notice|statement)|cookie (?:policy|notice)|data protection",
        "licence": r"licen[cs](?:e|ing)|copyright|reuse policy|permissions",
        "legal_notice": r"legal|imprint|disclaimer",
    },
)
