"""Phrases of terms of service in Spanish, as of 2026-11. Data only."""

from __future__ import annotations

from typing import Final

from wireroom.signals.terms.phrases import Phrases

_CONSENT: Final = (
    r"(?:autorizacion(?:es)?|permisos?|consentimiento|licencias?|acuerdo|aprobacion|contrato)"
)
_GAP: Final = r"(?:[\w,'()/-]+ )"
_DO: Final = r"(?:utiliz|us|le|consult|imprim|descarg|copi|reproduc|cit|archiv|almacen|index|compart|difund|distribu|public|integr|mostr|enlaz|reutiliz|guard|incorpor|rastre)(?:ar|er|ir|ad[oa]s?|id[oa]s?|en|an)(?:se|l[oa]s?)?\b|hacer"

PHRASES: Final = Phrases(
    ours=(
        r"(?:nosotros )?(?:podemos|podremos|utilizamos|empleamos|usamos|recogemos|almacenamos|tratamos|conservamos|archivamos|no (?:garantizamos|podemos|nos hacemos))",
        r"(?:se|nos) reserv\w+ el derecho (?:de|a) (?:modific|elimin|suspend|interrump|retir|cambi|actualiz|moder)\w*",
        r"no (?:se hace|sera|es|seran) responsable\w*|no garantiza\w*",
        r"(?:puede|pueden|podra|podran) (?:ser |verse |estar )?(?:interrump\w*|suspend\w*|modific\w*|inexact\w*|no estar)",
    ),
    exceptions=(
        rf"(?:salvo|excepto|a menos que|a excepcion|fuera de|siempre que no)(?:[\w,'()/-]| ){{0,100}}?(?:{_CONSENT}|autoric\w*|autoriz\w*|permit\w*|acordado|ley)(?: (?:expres|escrit|previ|explicit)\w*)*(?: y por escrito)?",
        rf"sin {_GAP}{{0,8}}?{_CONSENT}(?: (?:expres|escrit|previ)\w*)*(?: (?:de|del) (?:la |los )?[\w-]+)?",
        r"(?:salvo|excepto|con excepcion de|a excepcion de) (?:[\w'-]+ ?){1,8}",
    ),
    permission=rf"(?:{_CONSENT}|autori[cz]|permit|acordado)",
    doubts=(
        r"(?:no|nada|tampoco) (?:[\w,']+ ){0,6}(?:prohib\w*|opon\w*|impid\w*|impide|vedad\w*)",
    ),
    forbids=(
        r"prohib\w*|vedad\w*|ilicit\w*|ilegal\w*|excluid\w*|vetad\w*",
        r"(?:no|ni|tampoco|nunca|jamas|nadie) (?:se (?:le )?)?(?:[\w,']+ ){0,2}?(?:podr\w+|pued\w+|deb\w+)\b",
        r"(?:no|tampoco|nunca|jamas|nadie) (?:se |le |les |te )*(?:esta\w*|queda\w*|sera\w*|es|son)? ?(?:[\w,']+ ){0,2}?(?:permit\w*|autoriz\w*|autoric\w*|consient\w*|admit\w*|licit\w*|tolera\w*|conced\w*|acept\w*)",
        r"(?:en|bajo) ningun\w* (?:caso|concepto|circunstancia|modo|momento)|de ningun\w* (?:modo|manera|forma)",
        r"ningun\w* (?:[\w,']+ ){0,12}(?:podr\w+|pued\w+|debe\w*|esta\w*|queda\w*)",
        r"(?:se )?compromet\w* a no|abstener\w*|se abst\w+|abstenga\w*|a no (?:utiliz|us|copi|emple|extra|rastre)\w*",
        r"acciones (?:legales|judiciales)|sancion\w*|sera\w* bloquead\w*|incumplimiento|infraccion\w*|infring\w*",
        r"(?:pero|y|sino) no\b|carec\w+ de|nadie\b",
        r"(?:se |nos )?opon(?:e|en|emos|erse)\b|rechaz\w*|deniega\w*",
        r"no (?:utilice|use|copie|extraiga|reproduzca|almacene|rastree|emplee|difunda|distribuya)\w*",
    ),
    reserves=(
        r"(?:se|nos|quedan?) reserva\w* (?:[\w,']+ ){0,6}(?:derechos?|mineria|uso|explotacion)",
        r"derechos? (?:[\w,'()./-]+ ){0,12}reservad\w*|reserva de derechos",
    ),
    requires=(
        rf"(?:requier\w*|requerir\w*|precis\w+|necesit\w*|exig\w+|sujet\w* a|condicionad\w* a|supeditad\w* a|sera necesari\w*|es necesari\w*) (?:[\w,']+ ){{0,8}}?(?:{_CONSENT}|pago|abono|tarifa\w*|solicitud\w*|cita\w*)",
        r"(?:solo|solamente|unicamente|exclusivamente) (?:[\w,']+ ){0,8}?(?:con|previ\w*|mediante|tras|para|a|se|podr\w*|pued\w*)\b",
        r"reservad\w* (?:a|al|para)\b|limitad\w* (?:a|al)\b|destinad\w* (?:a|al)\b",
        r"(?:contact\w+ con|dirij\w+ a|solicit\w+ (?:[\w,']+ ){0,3}(?:permiso|autorizacion|licencia))",
        r"(?:se )?ofrec\w+ (?:[\w,']+ ){0,6}(?:para|gratuitamente|con fines)",
    ),
    permits=(
        rf"(?:podr\w+|pued\w+) (?:[\w,']+ ){{0,3}}(?:{_DO})",
        r"(?:usted|el usuario|los usuarios|los lectores|el lector|cualquier persona|las bibliotecas|los investigadores|las universidades|los buscadores|los suscriptores) (?:[\w,']+ ){0,4}(?:podr\w+|pued\w+)",
        r"(?:se|esta\w*|queda\w*) (?:[\w,']+ ){0,2}(?:permit\w*|autoriz\w*)|permitid\w*|autorizad\w*|libres?\b|libremente|licit\w*",
        r"(?:permitimos|autorizamos|concedemos|animamos|invitamos)|tiene derecho a|tienen derecho a",
    ),
    shadows=r"no\b|ni\b|nunca|jamas|nadie|ningun\w*|nada|sin\b|tampoco|solo\b|solamente|unicamente|salvo|excepto|carec\w*",
    turns=r"pero|sino|sin embargo|no obstante|mientras que|en cambio|aunque",
    joints=r"y|e|o|u|ni",
    personal_data=r"datos (?:de caracter )?personal\w*|sus datos|privacidad",
    commercial_only=r"con (?:fines|animo|propositos?) (?:[\w']+ ){0,2}(?:comercial|lucrativ|de lucro|profesional)\w*|(?:uso|explotacion|utilizacion|mineria) comercial\w*",
    whatever=r"incluso|tanto|incluid\w*|sea|especialmente|o\b|y\b|no\b",
    conditions={
        "attribution": r"(?:cit|mencion|indi[cq]|nombr|acredit)\w* (?:[\w,']+ ){0,5}(?:fuente|autor\w*|medio|diario|editor\w*|origen|procedencia)|cit(?:e|en|ando|ar) (?:a|al)\b|enlac\w*|enlaz\w*|con mencion|atribuc\w*",
        "non-commercial": r"no comercial\w*|sin animo de lucro|sin fines (?:de lucro|comerciales)|privad\w*|personal\w*",
        "payment": r"de pago|pago\b|tarifa\w*|canon|remuneracion|suscripcion|precio",
        "territory": r"(?:dentro de|en) la union europea|en (?:espana|mexico|argentina|chile)\b",
        "users": r"bibliotecas|investigador\w*|organismos de investigacion|universidad\w*|escuelas|centros educativos|buscadores|suscriptor\w*|periodistas",
    },
    personal=r"privad\w*|personal\w*|no comercial\w*|domestic\w*|particular\w*|exclusivamente",
    topics={
        "scraping": (
            r"scrap\w*|crawl\w*|rastre\w*|aranas?\b|robots?\b|bots?\b|spiders?|scripts?\b|raspado",
            r"(?:medios?|procedimientos?|programas?|herramientas?|sistemas?|procesos?|software|mecanismos?|dispositivos?) (?:[\w,'/-]+ ){0,2}automati\w*",
            r"(?:extra(?:er|ccion)|recopil\w*|descarg\w*|acce\w+|recog\w+|captur\w+|copi\w+) (?:[\w,'/-]+ ){0,6}(?:automati\w*|sistematic\w*|masiv\w*)",
            r"de (?:forma|manera|modo) (?:automati\w*|sistematic\w*|masiv\w*)|extraccion de datos",
        ),
        "ai_ml": (
            r"inteligencias? artificial\w*|ia\b|aprendizaje (?:automatic\w*|de maquinas?|profundo)|machine learning",
            r"(?:grandes )?modelos? (?:[\w,']+ )?(?:de )?(?:lenguaje|lengua|linguistic\w*|generativ\w*|de ia)|llms?\b|redes neuronales|generativ\w*|chatbots?|asistentes conversacionales",
            r"entren(?:ar|amiento) (?:[\w,'/-]+ ){0,5}(?:modelos?|algoritmos?|sistemas?)",
        ),
        "manual_use": (
            r"(?:leer|lectura|lea|consult(?:ar|a)|imprim\w*|impresion|visualiz\w*|hojear)\b",
            r"(?:uso|fines|utilizacion|ambito) (?:[\w,']+ ){0,3}(?:privad|personal|particular|domestic)\w*",
            r"enlazar (?:a|con) (?:nuestr\w*|l[oa]s?|cualquier)",
        ),
        "archiving": (
            r"archivar\w*|archivad\w*|archivos? (?:con|de) (?:ell|nuestr|not)\w*|archivo\b (?:propio|digital)|almacen\w*|bases? de datos|cache\b|conserv(?:ar|acion)\w*|hemeroteca\w*|copias? espejo|crear archivos",
        ),
        "tdm": (
            r"mineria (?:[\w,']+ ){0,2}de (?:textos?|datos)|tdm\b|data ?mining|text (?:and|&) data mining|prospeccion de textos",
            r"2019/790|articulo 67 (?:bis|del)|24/2021",
        ),
        "api_rss": (
            r"rss\b|canal(?:es)? (?:rss|atom|de noticias)|feeds?\b|fuentes rss",
            r"apis?\b|interfaz de programacion",
        ),
        "redistribution": (
            r"(?:re)?distribu\w*|reproduc\w*|(?:re)?difund\w*|(?:re)?difusion|republic\w*|public(?:ar|arse|arl\w*|ad[oa]s?|acion)\b|revent\w*|revend\w*|vend(?:er|a|erse)\b|sublicenci\w*",
            r"copi(?:ar(?:se|l[oa]s?)?|ad[oa]s?|a)\b|comunica\w* public\w*|comunicarse public\w*|ced(?:er|erse)\b|transmit\w*|retransmit\w*|cit(?:ar|as?)\b|extractos?\b|fragmentos?\b|poner a disposicion|puesta a disposicion|traduc\w*|terceros",
        ),
    },
    manual_forbidden=r"manual\w*|a mano|imprim\w*|impresion|uso (?:privado|personal)",
    derivative=r"obras? derivadas?|adaptaciones",
    granted_to_us=r"(?:conced|otorg|ced|autoriz|licenci|transfier)\w* (?:[\w,']+ ){0,4}(?:a la (?:editorial|empresa)|al (?:diario|editor)|gratuitamente)|nos (?:conced|otorg|ced|autoriz|transfier)\w*",
    reader_content=r"comentarios?\b|(?:contenidos?|aportaciones|mensajes|fotos|opiniones|contribuciones) (?:[\w,']+ ){0,4}(?:usuarios?|lector\w*|enviad\w*|publicad\w*)|cartas al director|sus (?:aportaciones|mensajes|contribuciones)",
    reuse=r"(?:re)?utiliz\w*|copi\w*|reproduc\w*|difund\w*|(?:re)?public\w*|distribu\w*|extra\w*|emple\w*|explot\w*|us(?:ar|arse|ad[oa]s?)\b",
    territory=r"(?:residentes?|consumidor\w*|usuarios?) (?:[\w,']+ ){0,4}(?:en|de|fuera de) (?:la union|espana|mexico|california)|si (?:usted )?reside en|fuera de la union europea",
    arbitration=r"arbitra(?:je|l|les)\b|arbitros?\b|mediacion|conciliacion",
    titles={
        "terms_of_sale": r"condiciones (?:generales )?de (?:venta|contratacion|compra)",
        "terms_of_use": r"(?:terminos|condiciones) (?:y condiciones|(?:generales )?(?:de|del) (?:uso|servicio|utilizacion))|condiciones generales|terminos",
        "privacy_policy": r"(?:politica|aviso) de privacidad|proteccion de datos|politica de cookies",
        "licence": r"licencias?|derechos de autor|propiedad intelectual|copyright",
        "legal_notice": r"aviso legal|informacion legal|legales",
    },
)
