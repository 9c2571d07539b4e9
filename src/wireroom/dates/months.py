"""The names of months, in the languages that news is written in.

A table and how it is looked up. Names are compared without case and accents; in alphabets that
abbreviate, the beginning of a name stands for it from the third letter on.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from wireroom.languages import language_of

SHORTEST_BEGINNING = 3  # letters: jan, feb; two would be weekdays and articles
WORDS_KEPT = 4096  # months and weekdays of a dozen languages, over and over

# Twelve names a language, from January; "/" between forms of one name ("января" is of January),
# "_" for a blank inside one. Beginnings of these need not be listed.
_TABLE = """
af januarie februarie maart/mrt april mei junie julie augustus september oktober november desember
ar يناير/كانون_الثاني/جانفي فبراير/شباط/فيفري مارس/آذار أبريل/إبريل/نيسان/أفريل مايو/أيار/ماي يونيو/يونية/حزيران/جوان يوليو/يولية/تموز/جويلية أغسطس/آب/أوت/غشت سبتمبر/أيلول/شتنبر أكتوبر/تشرين_الأول نوفمبر/تشرين_الثاني/نونبر ديسمبر/كانون_الأول/دجنبر
az yanvar fevral mart aprel may iyun/iyn iyul/iyl avqust sentyabr oktyabr noyabr dekabr
be студзеня/студзень лютага/люты сакавіка/сакавік красавіка/красавік мая/траўня/травень чэрвеня/чэрвень ліпеня/ліпень жніўня/жнівень верасня/верасень кастрычніка/кастрычнік лістапада/лістапад снежня/снежань
bg януари февруари март април май юни юли август септември октомври ноември декември
bn জানুয়ারি/জানুয়ারী/জানু ফেব্রুয়ারি/ফেব্রুয়ারী/ফেব মার্চ এপ্রিল/এপ্রি মে জুন জুলাই/জুল আগস্ট/আগষ্ট/আগ সেপ্টেম্বর/সেপ অক্টোবর/অক্টো নভেম্বর/নভে ডিসেম্বর/ডিসে
ca gener febrer març abril maig juny juliol agost/ag setembre octubre novembre desembre
cs ledna/leden února/únor března/březen dubna/duben května/květen června/červen/čvn července/červenec/čvc srpna/srpen září října/říjen listopadu/listopad prosince/prosinec
cy ionawr chwefror mawrth ebrill mai mehefin gorffennaf awst medi hydref tachwedd rhagfyr
da januar februar marts april maj juni juli august september oktober november december
de januar/jänner februar/feber märz/mrz april mai juni juli august september oktober november dezember
el ιανουαρίου/ιανουάριος/γενάρη φεβρουαρίου/φεβρουάριος/φλεβάρη μαρτίου/μάρτιος/μάρτη απριλίου/απρίλιος/απρίλη μαΐου/μάιος/μάη ιουνίου/ιούνιος/ιούνη ιουλίου/ιούλιος/ιούλη αυγούστου/αύγουστος σεπτεμβρίου/σεπτέμβριος/σεπτέμβρη οκτωβρίου/οκτώβριος/οκτώβρη νοεμβρίου/νοέμβριος/νοέμβρη δεκεμβρίου/δεκέμβριος/δεκέμβρη
en january february march april may june july august september october november december
es enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre
et jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
eu urtarrilaren/urtarrilak otsailaren/otsailak martxoaren/martxoak apirilaren/apirilak maiatzaren/maiatzak ekainaren/ekainak uztailaren/uztailak abuztuaren/abuztuak irailaren/irailak urriaren/urriak azaroaren/azaroak abenduaren/abenduak
fa ژانویه/ژانویهٔ فوریه مارس آوریل مه/می ژوئن ژوئیه/جولای اوت/آگوست سپتامبر اکتبر نوامبر دسامبر
fi tammikuuta/tammikuun helmikuuta/helmikuun maaliskuuta/maaliskuun huhtikuuta/huhtikuun toukokuuta/toukokuun kesäkuuta/kesäkuun heinäkuuta/heinäkuun elokuuta/elokuun syyskuuta/syyskuun lokakuuta/lokakuun marraskuuta/marraskuun joulukuuta/joulukuun
fr janvier février/fév mars avril mai juin juillet août septembre octobre novembre décembre
ga eanáir feabhra márta aibreán bealtaine meitheamh iúil lúnasa meán_fómhair deireadh_fómhair samhain nollaig
gl xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro
he ינואר פברואר מרץ/מרס אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
hi जनवरी/जन फ़रवरी/फरवरी/फ़र मार्च अप्रैल मई जून जुलाई/जुल अगस्त/अग सितंबर/सितम्बर/सित अक्टूबर/अक्तूबर/अक्टू नवंबर/नवम्बर/नव दिसंबर/दिसम्बर/दिस
hr siječnja/siječanj veljače/veljača ožujka/ožujak travnja/travanj svibnja/svibanj lipnja/lipanj srpnja/srpanj kolovoza/kolovoz rujna/rujan listopada/listopad studenoga/studeni prosinca/prosinac
hu január február március április május június július augusztus szeptember október november december
hy հունվարի փետրվարի մարտի ապրիլի մայիսի հունիսի հուլիսի օգոստոսի սեպտեմբերի հոկտեմբերի նոյեմբերի դեկտեմբերի
id januari februari/pebruari maret april mei juni juli agustus/agt september oktober november/nopember desember
is janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember
it gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
ka იანვარი/იანვარს თებერვალი/თებერვალს მარტი/მარტს აპრილი/აპრილს მაისი/მაისს ივნისი/ივნისს ივლისი/ივლისს აგვისტო/აგვისტოს სექტემბერი/სექტემბერს ოქტომბერი/ოქტომბერს ნოემბერი/ნოემბერს დეკემბერი/დეკემბერს
kk қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан
lt sausio/sausis vasario/vasaris kovo/kovas balandžio/balandis gegužės/gegužė birželio/birželis liepos/liepa rugpjūčio/rugpjūtis rugsėjo/rugsėjis spalio/spalis lapkričio/lapkritis gruodžio/gruodis
lv janvāris/janvārī februāris/februārī marts/martā aprīlis/aprīlī maijs/maijā jūnijs/jūnijā jūlijs/jūlijā augusts/augustā septembris/septembrī oktobris/oktobrī novembris/novembrī decembris/decembrī
mk јануари февруари март април мај јуни јули август септември октомври ноември декември
mr जानेवारी/जाने फेब्रुवारी/फेब्रु मार्च एप्रिल/एप्रि मे जून जुलै ऑगस्ट/ऑग सप्टेंबर/सप्टें ऑक्टोबर/ऑक्टो नोव्हेंबर/नोव्हें डिसेंबर/डिसें
ms januari februari mac april mei jun julai ogos september oktober november disember
nl januari februari maart/mrt april mei juni juli augustus september oktober november december
no januar februar mars april mai juni juli august september oktober november desember
pl stycznia/styczeń lutego/luty marca/marzec kwietnia/kwiecień maja/maj czerwca/czerwiec lipca/lipiec sierpnia/sierpień września/wrzesień października/październik listopada/listopad grudnia/grudzień
pt janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
ro ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ru января/январь февраля/февраль марта апреля/апрель мая/май июня/июнь июля/июль августа сентября/сентябрь октября/октябрь ноября/ноябрь декабря/декабрь
sk januára februára marca/marec apríla mája júna júla augusta septembra/september októbra/október novembra/november decembra/december
sl januarja februarja marca/marec aprila maja junija julija avgusta septembra/september oktobra/oktober novembra/november decembra/december
sq janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor
sr januara februara marta aprila maja juna/juni jula/juli avgusta/augusta septembra/septembar oktobra/oktobar novembra/novembar decembra/decembar
sr јануара фебруара марта априла маја јуна/јуни јула/јули августа септембра/септембар октобра/октобар новембра/новембар децембра/децембар
sv januari februari mars april maj juni juli augusti september oktober november december
sw januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba
ta ஜனவரி/ஜன பிப்ரவரி/பிப் மார்ச்/மார் ஏப்ரல்/ஏப் மே ஜூன் ஜூலை ஆகஸ்ட்/ஆக செப்டம்பர்/செப் அக்டோபர்/அக் நவம்பர்/நவ டிசம்பர்/டிச
th มกราคม/มค กุมภาพันธ์/กพ มีนาคม/มีค เมษายน/เมย พฤษภาคม/พค มิถุนายน/มิย กรกฎาคม/กค สิงหาคม/สค กันยายน/กย ตุลาคม/ตค พฤศจิกายน/พย ธันวาคม/ธค
tl enero pebrero marso abril mayo hunyo hulyo agosto setyembre oktubre nobyembre disyembre
tr ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
uk січня/січень лютого/лютий березня/березень квітня/квітень травня/травень червня/червень липня/липень серпня/серпень вересня/вересень жовтня/жовтень листопада/листопад грудня/грудень
ur جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر
uz yanvar fevral mart aprel may iyun/iyn iyul/iyl avgust sentabr oktabr noyabr dekabr
"""
# Latin, Greek, Cyrillic, Armenian, Hebrew, Georgian: alphabets in which any name is cut short.
_ABBREVIATING = re.compile(r"[a-z\u00df-\u024f\u0370-\u0587\u05d0-\u05ea\u10d0-\u10ff]+")
# Accents of the first three, points of Hebrew, signs on Arabic letters.
_ACCENTS = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655]+")


@lru_cache(maxsize=WORDS_KEPT)
def bare(word: str) -> str:
    """The word in lower case, without accents: `Août` is `aout`, `ŞUBAT` and `Şubat` are `subat`."""
    if word.isascii():
        return word.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", word.lower())).replace("ı", "i")
    return unicodedata.normalize("NFC", plain)


def _read_table() -> dict[str, list[tuple[str, int]]]:
    """Every full form with its month, by language; a language may have two rows."""
    names: dict[str, list[tuple[str, int]]] = {}
    for row in _TABLE.strip().splitlines():
        language, *months = row.split(" ")
        names.setdefault(language, []).extend(
            (bare(form.replace("_", " ")), number)
            for number, forms in enumerate(months, 1)
            for form in forms.split("/")
        )
    names["he"] += [(f"ב{form}", number) for form, number in names["he"]]  # "in February"
    return names


MONTH_NAMES = _read_table()
"""Full forms of the twelve names, by language."""
FIRST_WORDS = frozenset(
    form.split(" ")[0] for names in MONTH_NAMES.values() for form, _ in names if " " in form
)
"""What begins a name of two words."""


@cache
def month_names(language: str) -> dict[str, int]:
    """Every word that means a month: in this language first, else in all that have it."""
    if not language:
        return _common()
    full, short = _own(language_of(language))
    english = _own("en")[1]  # "mar" on a Finnish page is March; marraskuu is cut to "marras"
    short = {word: number for word, number in short.items() if english.get(word, number) == number}
    return _common() | short | full


@cache
def _own(language: str) -> tuple[dict[str, int], dict[str, int]]:
    """The full forms of a language, and the beginnings that mean one month only."""
    full = MONTH_NAMES.get(language, [])
    short = [
        (form[:length], number)
        for form, number in full
        if _ABBREVIATING.fullmatch(form)
        for length in range(SHORTEST_BEGINNING, len(form))
    ]
    return dict(full), _agreed(short)


@cache
def _common() -> dict[str, int]:
    """`listopad` is October in Croatia and November in Poland: without a language it is neither."""
    full = [pair for language in MONTH_NAMES for pair in MONTH_NAMES[language]]
    known = {form for form, _ in full}
    short = [
        (form, number)
        for language in MONTH_NAMES
        for form, number in _own(language)[1].items()
        if form not in known
    ]
    english_full, english_short = _own("en")
    return _agreed(short) | _agreed(full) | english_short | english_full


def _agreed(pairs: list[tuple[str, int]]) -> dict[str, int]:
    meanings: dict[str, set[int]] = {}
    for word, number in pairs:
        meanings.setdefault(word, set()).add(number)
    return {word: min(numbers) for word, numbers in meanings.items() if len(numbers) == 1}
