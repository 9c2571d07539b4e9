"""One little report in many languages, and the encodings it was once printed in."""

from __future__ import annotations

SENTENCES = {
    "zh": "市政府昨天宣布，新的图书馆将于明年春天开放，届时所有居民都可以免费借阅图书。记者从现场了解到，工程进展顺利。",
    "zh-TW": "市政府昨天宣布，新的圖書館將於明年春天開放，屆時所有居民都可以免費借閱圖書。記者從現場了解到，工程進展順利。",
    "ja": "市は昨日、新しい図書館を来年の春に開館すると発表した。住民は誰でも無料で本を借りることができる。工事は順調に進んでいるという。",
    "ko": "시는 어제 새 도서관이 내년 봄에 문을 열 것이라고 발표했다. 주민이라면 누구나 무료로 책을 빌릴 수 있다. 공사는 순조롭게 진행되고 있다.",
    "ru": "Городские власти вчера объявили, что новая библиотека откроется будущей весной. Все жители смогут бесплатно брать книги. Работы идут по плану.",
    "uk": "Міська влада вчора оголосила, що нова бібліотека відкриється наступної весни. Усі мешканці зможуть безкоштовно брати книжки. Роботи тривають за планом.",
    "el": "Ο δήμος ανακοίνωσε χθες ότι η νέα βιβλιοθήκη θα ανοίξει την επόμενη άνοιξη. Όλοι οι κάτοικοι θα μπορούν να δανείζονται βιβλία δωρεάν.",
    "ar": "أعلنت البلدية أمس أن المكتبة الجديدة ستفتح أبوابها في الربيع المقبل، وسيتمكن جميع السكان من استعارة الكتب مجانا. وتسير الأعمال وفق الخطة.",
    "he": "העירייה הודיעה אתמול כי הספרייה החדשה תיפתח באביב הבא, וכל התושבים יוכלו לשאול ספרים בחינם. העבודות מתקדמות כמתוכנן.",
    "th": "เมื่อวานนี้เทศบาลประกาศว่าห้องสมุดแห่งใหม่จะเปิดในฤดูใบไม้ผลิหน้า ประชาชนทุกคนสามารถยืมหนังสือได้โดยไม่เสียค่าใช้จ่าย",
    "pl": "Miasto ogłosiło wczoraj, że nowa biblioteka zostanie otwarta na wiosnę. Wszyscy mieszkańcy będą mogli bezpłatnie wypożyczać książki. Prace przebiegają zgodnie z planem, a żadne opóźnienia nie są spodziewane.",
    "cs": "Město včera oznámilo, že nová knihovna bude otevřena příští jaro. Všichni obyvatelé si budou moci zdarma půjčovat knihy. Práce pokračují podle plánu a žádné zpoždění se neočekává.",
    "hu": "A város tegnap bejelentette, hogy az új könyvtár jövő tavasszal nyílik meg. Minden lakos ingyen kölcsönözhet könyveket. A munkálatok a tervek szerint haladnak, késésre nem kell számítani.",
    "fr": "La ville a annoncé hier que la nouvelle bibliothèque ouvrira au printemps prochain. Tous les habitants pourront y emprunter gratuitement des livres. Les travaux avancent comme prévu, où que se porte le regard.",
    "de": "Die Stadt hat gestern erklärt, dass die neue Bücherei im nächsten Frühjahr öffnet. Alle Bürger können dort kostenlos Bücher ausleihen. Die Arbeiten laufen planmäßig, Verzögerungen gibt es nicht.",
    "es": "La ciudad anunció ayer que la nueva biblioteca abrirá la próxima primavera. Todos los vecinos podrán llevarse libros sin pagar. Las obras avanzan según lo previsto, dijo el señor alcalde en la reunión de la mañana.",
    "tr": "Belediye dün yeni kütüphanenin gelecek ilkbaharda açılacağını duyurdu. Tüm şehir sakinleri ücretsiz kitap ödünç alabilecek. Çalışmalar planlandığı gibi ilerliyor, gecikme beklenmiyor.",
}

PRINTED_IN = [
    # language, Python's codec, the label a server would send
    ("zh", "gbk", "gbk"),
    ("zh", "gb18030", "gb18030"),
    ("zh", "gb2312", "gb2312"),
    ("zh-TW", "big5", "big5"),
    ("ja", "shift_jis", "shift_jis"),
    ("ja", "euc_jp", "euc-jp"),
    ("ja", "iso2022_jp", "iso-2022-jp"),
    ("ko", "euc_kr", "euc-kr"),
    ("ru", "cp1251", "windows-1251"),
    ("uk", "cp1251", "windows-1251"),
    ("ru", "koi8_r", "koi8-r"),
    ("ru", "iso8859_5", "iso-8859-5"),
    ("ru", "cp866", "ibm866"),
    ("el", "cp1253", "windows-1253"),
    ("el", "iso8859_7", "iso-8859-7"),
    ("ar", "cp1256", "windows-1256"),
    ("he", "cp1255", "windows-1255"),
    ("th", "cp874", "windows-874"),
    ("pl", "cp1250", "windows-1250"),
    ("pl", "iso8859_2", "iso-8859-2"),
    ("cs", "cp1250", "windows-1250"),
    ("cs", "iso8859_2", "iso-8859-2"),
    ("hu", "cp1250", "windows-1250"),
    ("hu", "iso8859_2", "iso-8859-2"),
    ("fr", "cp1252", "windows-1252"),
    ("fr", "latin_1", "iso-8859-1"),
    ("de", "cp1252", "windows-1252"),
    ("de", "iso8859_15", "iso-8859-15"),
    ("es", "latin_1", "iso-8859-1"),
    ("tr", "cp1254", "windows-1254"),
    ("zh", "utf-8", "utf-8"),
    ("ar", "utf-8-sig", "utf-8"),
    ("ja", "utf-16", "utf-16"),
    ("ru", "utf-16-le", "utf-16le"),
    ("fr", "utf-16-be", "utf-16be"),
    ("de", "utf-32-le", "utf-32"),
]

PAGE = (
    "<!doctype html><html><head>{meta}<title>{text}</title></head>"
    '<body class="page"><nav><a href="/">Home</a></nav><p>{text}</p><p>{text}</p></body></html>'
)
