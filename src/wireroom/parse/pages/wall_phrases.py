"""How walls and error pages announce themselves, in many languages. Tables only, as of 2026-11."""

from __future__ import annotations

from typing import Final


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip().casefold() for line in text.splitlines() if line.strip())


ERROR_WHOLE_LINES: Final = frozenset(
    _lines(
        """
        not found
        error
        404
        403
        410
        500
        502
        503
        404 error
        error 404
        404 not found
        404 - not found
        404: not found
        403 forbidden
        410 gone
        gone
        forbidden
        unavailable
        fehler 404
        erreur 404
        error 403
        erro 404
        errore 404
        ошибка 404
        hata 404
        """
    )
)
"""Too short to be looked for inside a line."""

ERROR_LINES: Final = _lines(
    """
    page not found
    page cannot be found
    page can't be found
    page could not be found
    page couldn't be found
    page can’t be found
    page couldn’t be found
    page was not found
    page you requested
    page you are looking for
    page you're looking for
    page you’re looking for
    page does not exist
    page doesn't exist
    page doesn’t exist
    page no longer exists
    page is no longer available
    page isn't available
    page is not available
    page unavailable
    article not found
    article is no longer available
    this content is no longer available
    something went wrong
    internal server error
    service unavailable
    temporarily unavailable
    bad gateway
    gateway timeout
    access denied
    access to this page has been denied
    too many requests
    just a moment
    attention required!
    are you a robot
    are you human
    verify you are human
    verifying you are human
    checking your browser
    please enable javascript
    enable javascript and cookies to continue
    seite nicht gefunden
    seite wurde nicht gefunden
    seite konnte nicht gefunden werden
    seite existiert nicht
    zugriff verweigert
    page introuvable
    page non trouvée
    page n'existe pas
    page n’existe pas
    page demandée
    accès refusé
    página no encontrada
    no se encontró la página
    página no existe
    no encontramos la página
    acceso denegado
    página não encontrada
    página não existe
    pagina non trovata
    pagina non esiste
    pagina niet gevonden
    pagina bestaat niet
    sidan hittades inte
    sidan kunde inte hittas
    sidan finns inte
    siden blev ikke fundet
    siden ble ikke funnet
    siden finnes ikke
    siden findes ikke
    sivua ei löytynyt
    sivua ei löydy
    strona nie została znaleziona
    nie znaleziono strony
    strona nie istnieje
    stránka nenalezena
    stránka nebyla nalezena
    stránka neexistuje
    stránka sa nenašla
    az oldal nem található
    a keresett oldal
    pagina nu a fost găsită
    pagina nu există
    страница не найдена
    страницы не существует
    сторінку не знайдено
    страницата не е намерена
    страница није пронађена
    stranica nije pronađena
    sayfa bulunamadı
    η σελίδα δεν βρέθηκε
    الصفحة غير موجودة
    لم يتم العثور على الصفحة
    صفحه یافت نشد
    הדף לא נמצא
    העמוד לא נמצא
    पृष्ठ नहीं मिला
    पेज नहीं मिला
    页面不存在
    页面未找到
    找不到页面
    頁面不存在
    找不到頁面
    ページが見つかりません
    お探しのページ
    페이지를 찾을 수 없습니다
    ไม่พบหน้า
    halaman tidak ditemukan
    không tìm thấy trang
    """
)

LOGIN_LINES: Final = _lines(
    """
    log in
    login
    log on
    sign in
    sign up
    signin
    register
    create an account
    create account
    create your account
    member login
    subscriber login
    please log in
    please sign in
    log in to continue
    sign in to continue
    anmelden
    einloggen
    registrieren
    jetzt anmelden
    se connecter
    connexion
    s'identifier
    s’identifier
    créer un compte
    connectez-vous
    iniciar sesión
    inicia sesión
    crear cuenta
    regístrate
    iniciar sessão
    fazer login
    entrar
    criar conta
    accedi
    registrati
    inloggen
    registreren
    logga in
    skapa konto
    log ind
    logg inn
    opret konto
    kirjaudu sisään
    zaloguj się
    logowanie
    rejestracja
    přihlásit se
    přihlášení
    prihlásenie
    bejelentkezés
    autentificare
    войти
    вход
    регистрация
    увійти
    prijava
    giriş yap
    üye ol
    σύνδεση
    تسجيل الدخول
    ورود
    התחברות
    लॉग इन
    登录
    登入
    注册
    ログイン
    新規登録
    로그인
    회원가입
    เข้าสู่ระบบ
    masuk
    đăng nhập
    """
)

CONSENT_LINES: Final = _lines(
    """
    before you continue
    we value your privacy
    we care about your privacy
    your privacy matters
    your privacy choices
    your privacy is important to us
    cookie consent
    cookie settings
    cookie preferences
    manage cookies
    manage your cookies
    manage consent
    manage your consent
    privacy settings
    we use cookies
    this site uses cookies
    this website uses cookies
    accept cookies
    accept all cookies
    continue without accepting
    consent or subscribe
    privatsphäre-einstellungen
    datenschutzeinstellungen
    datenschutz-einstellungen
    cookie-einstellungen
    cookie-einwilligung
    wir verwenden cookies
    wir brauchen ihre zustimmung
    ihre zustimmung
    mit werbung weiterlesen
    vos choix en matière de cookies
    le respect de votre vie privée
    nous respectons votre vie privée
    gestion des cookies
    continuer sans accepter
    tu privacidad
    su privacidad
    tu privacidad es importante
    configuración de cookies
    utilizamos cookies
    usamos cookies
    aceptar cookies
    definições de cookies
    a sua privacidade
    sua privacidade
    la tua privacy
    rispettiamo la tua privacy
    gestione dei cookie
    privacy-instellingen
    cookie-instellingen
    wij gebruiken cookies
    jouw privacy
    vi använder cookies
    vi bruger cookies
    vi bruker cookies
    käytämme evästeitä
    szanujemy twoją prywatność
    dbamy o twoją prywatność
    ustawienia plików cookie
    nastavení cookies
    váš souhlas
    sütiket használunk
    мы используем файлы cookie
    мы используем cookie
    ми використовуємо файли cookie
    çerez tercihleri
    çerezleri kullanıyoruz
    χρησιμοποιούμε cookies
    クッキーの使用
    cookieの使用
    개인정보 보호
    我们使用cookie
    """
)

CONSENT_WORDS: Final = (
    "cookie",
    "consent",
    "privacy",
    "partner",
    "einwillig",
    "zustimm",
    "datenschutz",
    "consent",
    "confidentialité",
    "vie privée",
    "traceur",
    "privacidad",
    "consentimiento",
    "privacidade",
    "consenso",
    "toestemming",
    "samtyck",
    "samtykke",
    "eväste",
    "prywatno",
    "zgod",
    "souhlas",
    "süti",
    "согласи",
    "конфиденциальн",
    "çerez",
    "απόρρητο",
    "クッキー",
    "개인정보",
    "隐私",
)
"""Parts of words of which a text about cookies is full."""
