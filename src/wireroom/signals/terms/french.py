"""Phrases of terms of service in French, as of 2026-11. Data only."""

from __future__ import annotations

from typing import Final

from wireroom.signals.terms.phrases import Phrases

_CONSENT: Final = r"(?:autorisations?|accord|consentement|licences?|permission|agrement|convention)"
_GAP: Final = r"(?:[\w,'()/-]+ )"
_DONE: Final = r"(?:utilise|consulte|imprime|lu|telecharge|copie|reproduit|cite|archive|stocke|indexe|partage|diffuse|rediffuse|publie|integre|affiche|repris|exploite|extrait|conserve)(?:e|s|es)?\b"

PHRASES: Final = Phrases(
    ours=(
        r"nous (?:pouvons|pourrons|utilisons|employons|recourons|conservons|stockons|collectons|traitons|archivons|ne (?:garantissons|pouvons|saurions|sommes))",
        r"(?:se|nous) reserv\w+ (?:[\w']+ )?(?:droit|faculte|possibilite) de (?:modifi|supprim|suspend|interromp|retir|chang)\w*",
        r"ne (?:saurait|peut|pourra) (?:[\w']+ )?(?:etre )?(?:tenu\w*|engag\w*|responsable|garantir)",
        r"(?:peut|peuvent|pourra|pourront) (?:etre )?(?:interromp\w*|suspend\w*|modifi\w*|indisponible\w*|inexact\w*)",
    ),
    exceptions=(
        rf"(?:sauf|hormis|excepte|a moins|a l'exception|en l'absence|en dehors)(?:[\w,'()/-]| ){{0,100}}?(?:{_CONSENT}|autoris\w*|permis\w*|prevu\w*|convenu\w*|loi)(?: (?:ecrit|expres|prealable|contraire|explicite)\w*)*",
        rf"sans {_GAP}{{0,8}}?(?:[ld]')?{_CONSENT}(?: (?:ecrit|expres|prealable|formel)\w*)*(?: (?:de|du|des) (?:la |l')?[\w-]+)?",
        r"(?:sauf|hormis|a l'exception de|excepte) (?:[\w'-]+ ?){1,8}",
    ),
    permission=rf"(?:\w')?(?:{_CONSENT}|autoris|permis|convenu)",
    doubts=(
        r"(?:n'|ne )(?:[\w']+ ){0,3}(?:pas|point|nullement|rien) (?:[\w,']+ ){0,5}(?:interdi\w*|prohib\w*|oppos\w*|empech\w*)",
        r"(?:rien|aucun\w*) (?:[\w,']+ ){0,8}(?:n'interdi\w*|ne s'oppos\w*|n'empech\w*|n'est interdit\w*)",
    ),
    forbids=(
        r"interdi\w*|prohib\w*|proscri\w*|defendu\w*|illicite\w*|illegal\w*|exclu\w*|banni\w*|contrefacon\w*",
        r"(?:ne|n') ?(?:[\w,']+ ){0,2}?(?:peu(?:t|vent)|pourr(?:a|ont|ait)|pouvez|pourrez|saurai(?:t|ent)|doi(?:t|vent)|devez|devr(?:a|ont|ez))\b(?! (?:[\w,']+ ){0,3}(?:que |qu'))",
        r"(?:ne|n') ?(?:est|sont|sera|seront|etes|soit) (?:[\w,']+ ){0,2}(?:pas|jamais|aucunement|nullement|ni)\b",
        r"(?:ne|n') ?(?:[\w,']+ ){0,2}(?:autoris|permet|consent|accept|concede|accord|toler)\w* (?:pas|aucun\w*|ni|nullement)",
        r"(?:pas|non) (?:[\w']+ )?(?:autoris\w*|permis\w*|admis\w*|toler\w*)",
        r"a ne (?:pas|jamais|point)|de ne (?:pas|jamais|point)|ne pas (?:utilis|copi|reprodui|stock|extrai|aspir|recour)\w*|s'abst\w+|s'interdi\w*",
        r"aucun\w* (?:[\w,']+ ){0,12}(?:ne |n'|autoris\w*|permis\w*)|en aucun (?:cas|facon)|en aucune (?:facon|maniere|circonstance)",
        r"passible\w*|poursuites?\b|sanctionn\w*|bloque\w*|a l'exclusion|contraire (?:a|aux)\b",
        r"(?:mais|et) (?:pas|non)\b|nul(?:le)? (?:[\w,']+ ){0,3}(?:ne|n')|personne ne\b",
        r"(?:s'|nous nous |vous )?oppos(?:e|ent|ons|ition|es|ee)\b|refus\w*",
    ),
    reserves=(
        r"(?:se |nous |est |sont )?reserv\w* (?!a |au |aux )(?:[\w,']+ ){0,6}(?:droits?|fouille|usage|utilisation|exploitation)",
        r"droits? (?:[\w,'()./-]+ ){0,12}(?:est|sont) (?:\w+ )?reserve\w*|reserve de droits",
    ),
    requires=(
        r"soumis\w* (?:a|au|aux)|subordonn\w*|necessit\w*|requi(?:ert|erent|s|se|ses)\b|exig\w*|sous reserve|moyennant|(?:doi(?:t|vent)|devra|devront) (?:[\w']+ ){0,2}(?:faire l'objet|etre (?:demande|sollicite|precede|autoris)\w*)",
        r"(?:ne|n') ?(?:[\w,']+ ){1,5}(?:que |qu')",
        r"uniquement|exclusivement|seul(?:s|e|es|ement)?\b|reserve\w* (?:a|au|aux)\b|limite\w* (?:a|au|aux)\b|destine\w* (?:a|au|aux)\b|strictement",
        r"(?:contacter|contactez|adresser (?:une )?demande|ecrire a|ecrivez)",
        r"(?:est|sont) (?:[\w']+ ){0,2}(?:propose|offert|fourni|mis)\w*(?: [\w,']+){0,6} (?:pour|a disposition)",
    ),
    permits=(
        r"(?:vous|les? (?:utilisateurs?|lecteurs?|internautes?|visiteurs?|bibliotheques?|chercheurs?|abonnes?|moteurs de recherche)|chacun) (?:[\w,']+ ){0,4}(?:pouvez|peut|peuvent|pourrez|pourront|pourra)\b",
        rf"(?:peut|peuvent|pourra|pourront) (?:[\w']+ ){{0,2}}etre (?:[\w']+ ){{0,2}}{_DONE}",
        r"autoris(?:e|ee|es|ees|ons)\b|permis(?:e|es)?\b|permet(?:tons)?\b|admis(?:e|es)?\b|tolere\w*|libres?\b|librement|avez le droit|avez la possibilite|bienvenu\w*",
        r"nous (?:vous )?(?:autorisons|permettons|accordons|acceptons|encourageons)|(?:accord|conced)\w* (?:a|aux) (?:utilisateur|lecteur|internaute)s?",
    ),
    shadows=r"ne\b|n'|pas\b|non\b|aucun\w*|jamais|ni\b|nul\w*|sans\b|personne|seul\w*|uniquement|exclusivement|sauf|hormis|que sur|qu'",
    turns=r"mais|toutefois|cependant|neanmoins|en revanche|tandis que|alors que|par contre",
    joints=r"et|ou|ni",
    personal_data=r"donnees (?:a caractere )?personnel\w*|vos donnees|confidentialite",
    commercial_only=r"a des fins (?:[\w']+ ){0,2}(?:commercial|lucrativ|professionnel)\w*|(?:usage|utilisation|exploitation|fouille) (?:a caractere )?commercial\w*",
    whatever=r"que ce soit|y compris|meme|notamment|ou\b|et\b|non\b",
    conditions={
        "attribution": r"(?:cit|mention|indiqu|nomm|credit)\w* (?:[\w,']+ ){0,5}(?:source|auteur|journal|editeur|nom|origine)|mention de la source|indication de la source|lien (?:vers|hypertexte)|renvo\w+ (?:vers|a)|d'indiquer la source",
        "non-commercial": r"non[ -]commercial\w*|prive\w*|personnel\w*|sans but lucratif|non lucrati\w*",
        "payment": r"payant\w*|redevance\w*|remuneration|tarif\w*|frais|paiement|abonnement",
        "territory": r"(?:dans|au sein de) l'union europeenne|en (?:france|belgique|suisse)\b",
        "users": r"organismes? de recherche|chercheurs?|bibliotheques?|universit\w+|ecoles?|enseignants?|moteurs de recherche|abonnes?|journalistes?",
    },
    personal=r"prive\w*|personnel\w*|non[ -]commercial\w*|particulier\w*|strictement",
    topics={
        "scraping": (
            r"scrap\w*|crawl\w*|moissonn\w*|aspir\w*|robots?\b|bots?\b|araignees?|spiders?|scripts?\b|indexation automatique",
            r"(?:extraction|collecte|extraire|collecter|acces|consultation|telechargement|recuperation|captation|interrogation|lecture|releve)\w* (?:[\w,'/-]+ ){0,6}(?:automati\w*|systematique\w*|massi\w*)",
            r"(?:moyens?|procedes?|outils?|logiciels?|systemes?|dispositifs?|programmes?|traitements?) (?:[\w,'/-]+ ){0,3}automati\w*",
            r"de (?:maniere|facon) (?:automati\w*|systematique)",
        ),
        "ai_ml": (
            r"intelligences? artificielles?|ia\b|apprentissage (?:automatique|machine|profond)|machine learning",
            r"(?:grands? )?modeles? (?:de )?(?:langage|langue|linguistique|d'ia|generatif)\w*|llms?\b|reseaux? de neurones|generative?s?\b|agents? conversationnels?|chatbots?",
            r"entrain(?:er|ement|ements) (?:[\w,'/-]+ ){0,5}(?:modeles?|algorithmes?|systemes?)",
        ),
        "manual_use": (
            r"(?:lire|lecture|consult(?:er|ation|ez|es)|imprim\w*|impression|visualis\w*|feuillet\w*)\b",
            r"(?:usage|titre|utilisation|cadre|fins?) (?:[\w,']+ ){0,2}(?:prive|personnel)\w*",
            r"liens? (?:hypertextes? )?vers (?:nos|le|les|une?|notre)\b",
        ),
        "archiving": (
            r"archiv\w*|stock(?:er|age|es?|ees?)\b|bases? de donnees|mis\w* en cache|mettre en cache|conserv\w*|sauvegard\w*|miroirs?\b",
        ),
        "tdm": (
            r"fouilles? (?:[\w,']+ ){0,2}(?:de|du|des) (?:textes?|donnees|contenus?)|exploration (?:[\w,']+ ){0,2}(?:de|des) (?:textes?|donnees)|tdm\b|data ?mining|text (?:and|&) data mining|minage de donnees",
            r"l\.? ?122-5-3|2019/790",
        ),
        "api_rss": (
            r"rss\b|flux\b|fils? (?:rss|atom|d'actualite)",
            r"apis?\b|interfaces? de programmation",
        ),
        "redistribution": (
            r"(?:re)?diffus\w*|(?:re)?distribu\w*|reprodui\w*|reproduction\w*|republi\w*|publi(?:er|e|es|ee|ees|cation)\b|rediffusion|revend\w*|revente|ven(?:dre|te)\b|represent(?:ation|er)",
            r"copi(?:er|e|es|ee|ees)\b|transmet\w*|communi(?:quer|cation) (?:au public|a des tiers)|cit(?:er|ation|ations)\b|extraits?\b|repris\w*|reprendre|mettre a (?:la )?disposition|mise a (?:la )?disposition|sous-licenc\w*|tradui\w*",
        ),
    },
    manual_forbidden=r"manuel\w*|a la main|imprim\w*|impression|usage (?:prive|personnel)",
    derivative=r"(?:oeuvres? derivees?|adaptations?|derives? de nos)",
    granted_to_us=r"(?:conced|accord|ced|octroy|transfer|donn)\w* (?:[\w,']+ ){0,4}(?:a l'editeur|au journal|a la societe|gracieusement)|nous (?:conced|accord|ced|octroy|autoris|donn)\w*",
    reader_content=r"commentaires?\b|contributions? (?:des|de l'|d')?(?:utilisateurs?|lecteurs?|internautes?|vos)?|vos (?:contributions|messages|publications)|contenus? (?:[\w,']+ ){0,3}(?:utilisateurs?|lecteurs?|internautes?|membres)|courrier des lecteurs",
    reuse=r"(?:re)?utilis\w*|copi\w*|reprodui\w*|(?:re)?diffus\w*|(?:re)?publi\w*|exploit\w*|extrai\w*|repris\w*|reprendre",
    territory=r"(?:residents?|consommateurs?|utilisateurs?) (?:[\w,']+ ){0,4}(?:de l'union|en union|hors de|etablis? en|residant)|si vous residez|hors (?:de )?l'union europeenne",
    arbitration=r"arbitra(?:ge|l|le|les|ux)\b|arbitres?\b|mediat(?:ion|eur)\b|conciliation",
    titles={
        "terms_of_sale": r"conditions generales de vente|cgv",
        "terms_of_use": r"conditions (?:generales )?(?:d'utilisation|d'usage)|cgu|conditions generales",
        "privacy_policy": r"(?:politique )?(?:de )?confidentialite|donnees personnelles|cookies",
        "licence": r"licences?|droits? d'auteur|droits de reproduction|copyright",
        "legal_notice": r"mentions legales|informations legales|avertissement",
    },
)
