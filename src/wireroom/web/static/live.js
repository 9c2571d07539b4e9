// Live pages. An element with data-live is kept up to date by a stream of HTML fragments: each takes the place of the
// element with its id, or comes at the end of the list. Everything works without this file.

const RECONNECTS = 5;

function put(list, html) {
  const template = document.createElement("template");
  template.innerHTML = html; // made by the server's own templates, which escape what strangers wrote
  const parts = [...template.content.children].flatMap((each) => (each.localName === "table" ? [...each.rows] : [each]));
  for (const part of parts) {
    const known = part.id && document.getElementById(part.id);
    if (known) replace(known, part);
    else if (!("onlyKnown" in list.dataset)) list.append(part);
  }
  refreshTimes();
}

// What a reader opened or closed stays so, what is scrolled stays where it is, and what has the focus keeps it.
function replace(known, part) {
  const active = document.activeElement;
  const focused = known.contains(active) ? alike(part, active) : undefined;
  if (focused === null) return; // it has gone: the part waits until the reader is elsewhere
  for (const each of known.querySelectorAll("details[id]")) {
    const same = part.querySelector(`#${CSS.escape(each.id)}`);
    if (same) same.open = each.open;
  }
  for (const each of known.querySelectorAll("input:checked")) {
    const same = alike(part, each);
    if (same) same.checked = true;
  }
  const places = [...known.querySelectorAll(".scroll")].map((each) => [each.scrollLeft, each.scrollTop]);
  known.replaceWith(part);
  part.querySelectorAll(".scroll").forEach((each, place) => each.scrollTo(...(places[place] || [0, 0])));
  focused?.focus({ preventScroll: true });
}

// The element of a new part that stands for one of the old part.
function alike(part, old) {
  const name = old.matches("summary") ? old.parentElement.id : old.id;
  if (name) return part.querySelector(`#${CSS.escape(name)}${old.matches("summary") ? " > summary" : ""}`);
  const others = [...part.querySelectorAll(old.localName)];
  const what = (each) => each.ariaLabel || each.href || each.outerHTML;
  return others.find((each) => what(each) === what(old)) || null;
}

function follow(list) {
  let failures = 0;
  let source;
  let again;
  const close = () => { clearTimeout(again); source?.close(); };
  const open = () => {
    close();
    source = new EventSource(`${list.dataset.live}?after=${list.dataset.after || 0}`);
    source.addEventListener("patch", (message) => {
      failures = 0;
      list.dataset.after = message.lastEventId;
      put(list, message.data);
    });
    source.addEventListener("last", (message) => {
      source.close();
      put(list, message.data);
      // The whole page has changed; the address stays.
      location.reload();
    });
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return; // the browser comes back by itself
      failures += 1;
      if (failures <= RECONNECTS) again = setTimeout(open, 1000 * 2 ** failures);
    });
  };
  // A browser has six connections for all its pages: one that is not seen gives its own back, and is told later what it missed.
  const look = () => { if (document.hidden) close(); else open(); };
  document.addEventListener("visibilitychange", look);
  addEventListener("pageshow", (event) => { if (event.persisted) look(); });
  addEventListener("pagehide", close);
  look();
}

document.querySelectorAll("[data-live]").forEach(follow);

// A box for one line or a pasted list: Enter sends it, with Shift it begins a line.
for (const box of document.querySelectorAll("[data-enter]")) {
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    box.form.requestSubmit();
  });
}

// Relative times grow old while a page is open. Who cannot hover has a button for UTC; the choice is kept in this browser.
const TIMES = "wireroom.times";
const AHEAD = Date.parse(document.body.dataset.now) - Date.now(); // of the server's clock: that of a reader may be wrong
const isUtc = () => localStorage.getItem(TIMES) === "utc";
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60]];
function refreshTimes() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    if (isUtc()) { time.textContent = time.title; continue; }
    const seconds = (Date.parse(time.dateTime) - Date.now() - AHEAD) / 1000;
    const apart = Math.abs(seconds);
    if (Number.isNaN(apart)) continue;
    if (apart < 45) { time.textContent = "now"; continue; }
    const [unit, size] = UNITS.find(([, length]) => apart >= length * 1.5) || UNITS[2];
    const count = Math.max(1, Math.round(apart / size));
    const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
    time.textContent = seconds < 0 ? `${words} ago` : `in ${words}`;
  }
}
setInterval(refreshTimes, 60000);

const times = document.querySelector("[data-times]");
function showTimes() {
  times.textContent = isUtc() ? "How long ago" : "Times in UTC";
  refreshTimes();
}
if (times) {
  times.hidden = false;
  times.addEventListener("click", () => { localStorage.setItem(TIMES, isUtc() ? "" : "utc"); showTimes(); });
  if (isUtc()) showTimes();
}
