// Keys: j and k go through the rows of a list, o or Enter opens one, / searches, g and a letter goes to a page, ? lists
// them. They can be switched off; the choice is kept in this browser.

const STORED = "wireroom.keys";
const GOES = { s: "/", p: "/publishers", f: "/feeds", a: "/search", r: "/run" };
const rows = () => [...document.querySelectorAll("main .story, main tbody tr")].filter((row) => row.getClientRects().length); // not those folded away
let at = -1;
let went = 0;

const isOn = () => localStorage.getItem(STORED) !== "off";
const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");

function move(step) {
  const all = rows();
  if (!all.length) return;
  at = Math.min(all.length - 1, Math.max(0, at + step));
  const link = all[at].querySelector("a[href]");
  all.forEach((row, place) => row.classList.toggle("here", place === at));
  (link || all[at]).focus();
  all[at].scrollIntoView({ block: "nearest" });
}

function dialog() {
  let box = document.getElementById("keys");
  if (!box) {
    box = document.createElement("dialog");
    box.id = "keys";
    box.setAttribute("aria-labelledby", "keys-title");
    const lines = [["j k", "next, previous row"], ["o", "open it"], ["/", "search"], ["g s", "start"], ["g p", "publishers"],
      ["g f", "feeds"], ["g a", "articles"], ["g r", "run"], ["?", "this list"]];
    const title = document.createElement("h2");
    title.id = "keys-title";
    title.textContent = "Keyboard";
    const list = document.createElement("dl");
    for (const [key, meaning] of lines) {
      const term = document.createElement("dt");
      const code = document.createElement("kbd");
      code.textContent = key;
      term.append(code);
      const about = document.createElement("dd");
      about.textContent = meaning;
      list.append(term, about);
    }
    const toggle = document.createElement("button");
    toggle.type = "button";
    toggle.className = "second";
    const name = () => { toggle.textContent = isOn() ? "Switch the keys off" : "Switch the keys on"; };
    toggle.addEventListener("click", () => { localStorage.setItem(STORED, isOn() ? "off" : "on"); name(); });
    name();
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => box.close());
    box.append(title, list, toggle, close);
    document.body.append(box);
  }
  box.showModal();
}

addEventListener("keydown", (event) => {
  if (!isOn() || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  if (Date.now() - went < 1500 && GOES[event.key]) { location.href = GOES[event.key]; return; }
  went = event.key === "g" ? Date.now() : 0;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "o") rows()[at]?.querySelector("a[href]")?.click();
  else if (event.key === "/") { event.preventDefault(); document.querySelector("#find, main [type=search]")?.focus(); }
  else if (event.key === "?") dialog();
});

const button = document.querySelector("[data-keys]");
if (button) { button.hidden = false; button.addEventListener("click", dialog); }
