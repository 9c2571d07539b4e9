"""Phrases of terms of service in German, as of 2026-11. Data only."""

from __future__ import annotations

from typing import Final

from wireroom.signals.terms.phrases import Phrases

_CONSENT: Final = r"\w*(?:zustimmung|erlaubnis|genehmigung|einwilligung|lizenz(?:vertrag)?|freigabe|einverstandnis\w*|vereinbarung|gestattung)\w*"
_GAP: Final = r"(?:(?!aber |jedoch |allerdings |hingegen |sondern )[\w,'()/§-]+ )"
_USED: Final = r"(?:ge\w+t|ge\w+en|verwendet|benutzt|verlinkt|zitiert|archiviert|kopiert|abonniert|heruntergeladen|ausgedruckt|eingebunden|eingebettet|abgerufen|weitergegeben|weiterverbreitet|vervielfaltigt|ubernommen|veroffentlicht|ausgewertet|bezogen)"

PHRASES: Final = Phrases(
    ours=(
        r"wir (?:durfen|konnen|werden|setzen|nutzen|verwenden|speichern|erheben|verarbeiten|archivieren|behalten uns (?:das recht )?vor|ubernehmen|haften)",
        r"(?:durfen|konnen|werden|setzen|nutzen|verwenden|speichern) wir\b",
        r"(?:kann|konnen) (?:\w+ ){0,4}(?:ausfallen|unterbrochen|eingestellt|geandert|abweichen|fehlerhaft)",
        r"behal\w+ (?:sich|uns) (?:\w+ ){0,3}das recht vor",
        r"kein\w* (?:haftung|gewahr|garantie|anspruch)",
    ),
    exceptions=(
        rf"ohne {_GAP}{{0,9}}?{_CONSENT}(?: (?:des|der|von|durch) [\w-]+)?",
        rf"(?:es sei denn|sofern nicht|soweit nicht|wenn nicht|ausser|ausgenommen|mit ausnahme|vorbehaltlich)(?:[\w',()/-]| ){{0,120}}?(?:{_CONSENT}|gestattet|erlaubt|zugestimmt|genehmigt|vereinbart|zulassig)",
        r"(?:ausgenommen|mit ausnahme|abgesehen von|ausser) (?:[\w-]+ ?){1,8}",
        r"uber (?:[\w-]+ ){1,6}hinaus",
    ),
    permission=rf"(?:{_CONSENT}|gestattet|erlaubt|zugestimmt|genehmigt|vereinbart)",
    doubts=(
        r"(?:nicht|kein\w*|nichts) (?:[\w,-]+ ){0,6}(?:verboten|untersagt|verbiet\w*|untersag\w*|unzulassig|ausgeschlossen|dagegen|gehindert)",
        r"(?:spricht|haben) (?:\w+ ){0,2}nichts (?:da)?gegen",
    ),
    forbids=(
        rf"(?:darf|durfen|durfte|durften|kann|konnen|sollen|soll) {_GAP}{{0,18}}?(?:nicht|weder|niemals|keinesfalls|kein\w*)\b",
        rf"(?:nicht|weder|niemals|keinesfalls) {_GAP}{{0,10}}?(?:gestattet|erlaubt|zulassig|gewahrt|genehmigt|berechtigt|befugt|statthaft|zugelassen|gewunscht|erteilt|uberlassen|geduldet|willkommen|vorgesehen|moglich|toleriert|akzeptiert)",
        r"(?:gestatten|erlauben|genehmigen|dulden|stimmen|willigen|gewahren) (?:[\w,-]+ ){0,12}(?:nicht|kein\w*)\b",
        r"\w*untersag\w*|verboten\w*|verbiet\w*|verbot\b|unzulassig\w*|ausgeschlossen|unterlassen|unterbleib\w*|rechtswidrig\w*|unbefugt\w*|widerrechtlich\w*|unerlaubt\w*",
        r"kein\w* (?:[\w,-]+ ){0,4}(?:erlaubnis|recht|lizenz|genehmigung|einwilligung|zustimmung|nutzung|verwendung|weitergabe|vervielfaltigung|training|auslesen|scraping|crawling|crawler|bots|robots|text|data|ki)\b",
        r"(?:kein\w*|niemand\w*) (?:[\w,-]+ ){0,6}(?:gestattet|erlaubt|zulassig|darf|durfen|berechtigt|moglich)",
        r"(?:aber|jedoch|allerdings|sondern|und|noch) nicht\b|noch\b|weder\b|niemand\w*",
        r"(?:in )?keine(?:m|n|r) (?:fall|umstanden|weise)|keinesfalls",
        r"verpflicht\w* (?:[\w,-]+ ){0,12}(?:nicht|kein\w*)\b",
        r"widersprech\w*|widerspruch\w*|widersprochen|nicht jedoch|nicht aber|strafbar\w*|geahndet|rechtliche schritte|strafrechtlich\w*|gesperrt|verstoss\w*|verstosst",
        r"(?:nicht|nie) (?:[\w,-]+ ){0,4}(?:verwenden|nutzen|kopieren|speichern|auslesen|abrufen|weitergeben|veroffentlichen)\b",
    ),
    reserves=(
        r"(?:behal\w+|vorbehalt\w*) (?:sich|uns)? ?(?:[\w,'()/§.-]+ ){0,30}?vor\b",
        r"\w*vorbehalt\w*",
    ),
    requires=(
        r"bedarf\b|bedurfen\b|erforder\w+|setz\w+ (?:[\w,-]+ ){0,8}voraus|notwendig|einzuholen|anzufragen",
        rf"nur (?:{_GAP}{{0,5}}?)(?:mit|nach|bei|gegen|aufgrund|im rahmen|unter) {_GAP}{{0,6}}?(?:{_CONSENT}|\w*entgelt\w*|gebuhr\w*)",
        r"nur (?:[\w,-]+ ){0,8}(?:zulassig|erlaubt|gestattet|genutzt|verwendet)|ausschliesslich|lediglich|allein",
        r"(?:genehmigungs|lizenz|zustimmungs|kosten|gebuhren|entgelt|vergutungs)pflichtig\w*",
        r"(?:wenden sie sich|kontaktieren sie|fragen sie)",
        r"(?:steht|stehen|wird|werden) (?:[\w,-]+ ){0,8}(?:zur verfugung|bereitgestellt|angeboten)",
    ),
    permits=(
        r"(?:sie|nutzer\w*|leser\w*|besucher\w*|jede\w*|bibliotheken|forsch\w+|hochschulen|schulen|suchmaschinen|abonnent\w*|einrichtungen) (?:[\w,-]+ ){0,4}?(?:durfen|darf|konnen|kann)\b",
        rf"(?:durfen|darf|konnen|kann) (?:[\w,'-]+ ){{0,14}}?{_USED}(?: und {_USED})? ?(?:werden)?",
        r"(?:durfen|konnen) sie\b",
        r"gestattet|erlaubt|zulassig|berechtigt|befugt|willkommen|freigegeben|einverstanden",
        r"(?:wir|der verlag) (?:gestatten|gestattet|erlauben|erlaubt|gewahren|gewahrt|begrussen)",
        r"steht (?:\w+ ){0,3}frei|frei (?:genutzt|verwendet|nutzbar)",
    ),
    shadows=r"nicht\w*|kein\w*|nie\b|niemals|niemand\w*|nichts|weder|ohne|nur\b|lediglich|ausschliesslich|ausser|sofern|soweit|un(?:zulassig|befugt|erlaubt)\w*",
    turns=r"aber|jedoch|allerdings|sondern|dagegen|wohingegen|wahrend",
    joints=r"und|oder|sowie",
    personal_data=r"personenbezogen\w*|ihre daten|datenschutz\w*",
    commercial_only=r"(?:zu|fur) (?:\w+ )?(?:gewerbliche\w*|kommerzielle\w*|geschaftliche\w*) (?:zwecke\w*|nutzung)|(?:kommerzielle|gewerbliche)[nsr]? (?:nutzung|verwertung|text|verwendung|weiterverbreitung)",
    whatever=r"ob\b|auch|insbesondere|sowohl|einschliesslich|oder|und|nicht-?",
    conditions={
        "attribution": r"quelle\w*|quellenangabe|namensnennung|urhebernennung|nennung|(?:genannt|angegeben|verlinkt|verweis|verlinkung|ruckverweis|link)\w*",
        "non-commercial": r"nicht-?kommerziell\w*|nichtkommerziell\w*|privat\w*|personlich\w*",
        "payment": r"\w*gebuhr\w*|entgelt\w*|kostenpflichtig\w*|vergutung\w*|bezahl\w*|abonnement\w*",
        "territory": r"innerhalb (?:der|des) (?:eu|europaischen|ewr)|in (?:deutschland|osterreich|der schweiz)",
        "users": r"bibliotheken|forsch\w+|hochschulen|universitaten|schulen|schuler\w*|suchmaschinen|abonnent\w*|registrierte\w*|journalist\w*",
    },
    personal=r"privat\w*|personlich\w*|eigen(?:en|er) gebrauch|nicht-?kommerziell\w*",
    topics={
        "scraping": (
            r"\w*scrap\w*|\w*crawl\w*|spider\w*|robots?\b|(?:\w+-)?bots?\b|webcrawler\w*|skript\w*|script\w*",
            r"automati(?:siert|sch|siertes|sierte)\w* (?:[\w,/-]+ ){0,4}(?:\w*aus(?:lesen|wert\w*|zug\w*)|\w*abruf\w*|\w*zugriff\w*|verfahren|mittel\w*|abfrage\w*|herunterlad\w*|system\w*|program\w*|sammel\w*|erfass\w*|download\w*|prozess\w*|extra\w+|durchsuch\w*)",
            r"(?:ausles|abruf|herunterlad|zugreif|zuzugreif|erfass|sammel|extrah)\w* (?:[\w,-]+ ){0,6}automati\w*",
            r"systematisch\w* (?:[\w,/-]+ ){0,8}(?:\w*ruf\w*|\w*lad\w*|\w*les\w*|sammel\w*|kopier\w*|auswert\w*|extra\w*)",
            r"massenhaft\w*|auslesen|datenextraktion",
        ),
        "ai_ml": (
            r"ki\b|ki-\w+|kunstliche\w*[ -]intelligenz\w*|kunstlich intelligent\w*|ai\b|ai-\w+",
            r"maschinell\w* lern\w*|machine[ -]learning|deep[ -]learning|\w*sprachmodell\w*|llms?\b|neuronal\w* netz\w*|generativ\w*|chatbots?",
            r"(?:training|trainier\w*|anlernen) (?:[\w,-]+ ){0,6}(?:modell\w*|algorithm\w*|system\w*)",
        ),
        "manual_use": (
            r"(?:lesen|gelesen|lekture|ansehen|anzusehen|betrachten|ausdruck\w*|auszudrucken|drucken|gedruckt)\b",
            r"(?:privat|personlich)\w* (?:[\w,-]+ ){0,3}(?:gebrauch|zweck\w*|nutzung|verwendung|lekture)",
            r"(?:verlinken|verlinkung|links? auf)\b",
        ),
        "archiving": (
            r"archivier\w*|archiv(?:e|en|s)?\b|\w*datenbank\w*|zwischenspeicher\w*|cach\w*|pressespiegel\w*",
            r"(?:dauerhaft\w*|speicher(?:n|ung)|gespeichert|vorhalten|aufbewahr\w*|spiegeln|spiegelung)\b",
        ),
        "tdm": (
            r"text[ -]*(?:und|&|and)[ -]*data[ -]*mining|tdm\b|data[ -]*mining|text[ -]*mining",
            r"§? ?44 ?b\b|2019/790|nutzungsvorbehalt\w*",
        ),
        "api_rss": (
            r"rss\w*|(?:\w+-)?feeds?\b|newsfeed\w*|atom-\w+",
            r"apis?\b|schnittstelle\w*|programmierschnittstelle\w*",
        ),
        "redistribution": (
            r"\w*verbreit\w*|\w*vervielfaltig\w*|\w*veroffentlich\w*|weiter(?:geb|gab|gegeb|zugeb|verkauf|zuverkauf)\w*|nachdruck\w*|\w*wiedergabe|reproduktion\w*|reproduzier\w*",
            r"offentlich\w* (?:[\w-]+ ){0,3}zugangl\w*|zugangl\w* (?:zu )?(?:mach|gemacht)\w*|kopier\w*|zitier\w*|zitat\w*|ausschnitt\w*|auszug\w*|ubernahme|ubersetz\w*|unterlizenz\w*|verkauf\w*|dritte\w* (?:[\w-]+ ){0,3}(?:uberlass|weiter)\w*",
        ),
    },
    manual_forbidden=r"manuell\w*|handisch\w*|ausdruck\w*|ausgedruckt|(?:privat|personlich)\w* gebrauch",
    derivative=r"(?:abgeleitete\w* werke?|bearbeitung\w*|umgestaltung\w*)",
    granted_to_us=r"(?:raum\w*|ubertrag\w*|gewahr\w*|erteil\w*|uberlass\w*) (?:[\w,-]+ ){0,4}(?:uns|dem verlag|der redaktion)\b|uns (?:[\w,-]+ ){0,10}(?:recht|rechte|nutzungsrecht\w*|lizenz) (?:[\w,-]+ ){0,4}(?:ein|einzuraumen|eingeraumt)",
    reader_content=r"\w*kommentar\w*|leserbrief\w*|\w*nutzerbeitrag\w*|nutzerinhalt\w*|(?:beitrage?|inhalte?|fotos?) (?:[\w,-]+ ){0,4}(?:von|der|ihrer) (?:nutzer|leser|mitglied)\w*|nutzergeneriert\w*|forenbeitr\w*",
    reuse=r"\w*verwend\w*|\w*nutz(?:en|t|ung)\b|kopier\w*|\w*veroffentlich\w*|\w*verbreit\w*|ubernehm\w*|ubernommen|auslesen|vervielfaltig\w*|zitier\w*|weiterverwend\w*",
    territory=r"(?:verbraucher|nutzer|einwohner|personen) (?:[\w,-]+ ){0,4}(?:in|aus|mit wohnsitz in|ausserhalb) (?:der )?(?:eu\b|europaisch|schweiz|deutschland|osterreich|usa)|wohnsitz (?:in|ausserhalb)|ausserhalb (?:der|des) (?:eu\b|europaisch\w*|ewr)",
    arbitration=r"schiedsgericht\w*|schiedsverfahren|schiedsklausel\w*|schlichtung\w*|streitbeilegung\w*|mediation\w*",
    titles={
        "terms_of_sale": r"allgemeine geschaftsbedingungen|agb|geschaftsbedingungen|verkaufsbedingungen",
        "terms_of_use": r"nutzungsbedingungen|nutzungsbasis|benutzungsbedingungen",
        "privacy_policy": r"datenschutz\w*|cookie-\w*",
        "licence": r"lizenz\w*|nutzungsrechte|urheberrecht\w*|copyright",
        "legal_notice": r"impressum|rechtliche\w*|disclaimer",
    },
)
