// What a page does without asking the server: colours, the menu on narrow screens, keys, following a record.
const root = document.documentElement;

function theme(name) {
  root.dataset.theme = name;
  try {
    localStorage.setItem("mneme-theme", name);
  } catch {
    // a browser that keeps nothing: it holds for this page
  }
  for (const button of document.querySelectorAll("[data-theme]:is(button)")) {
    button.setAttribute("aria-pressed", String(button.dataset.theme === name));
  }
}

function menu(open) {
  const button = document.querySelector(".menu-button");
  button?.setAttribute("aria-expanded", String(open));
  document.querySelector(".console")?.classList.toggle("is-open", open);
}

// The same record stands in several columns of a trace: whoever points at one sees all of it.
function follow(id) {
  for (const each of document.querySelectorAll("[data-record]")) {
    each.classList.toggle("is-followed", id !== null && each.dataset.record === id);
    each.classList.toggle("is-faded", id !== null && each.closest(".trace") !== null && each.dataset.record !== id);
  }
}

document.addEventListener("click", (event) => {
  const at = (selector) => event.target.closest(selector);
  if (at("button[data-theme]")) theme(at("button[data-theme]").dataset.theme);
  if (at(".menu-button")) menu(at(".menu-button").getAttribute("aria-expanded") !== "true");
  for (const open of document.querySelectorAll("details.whose[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});
// The picture of the graph: nearer, further, all of it; what is near can be drawn along.
const VIEWS = new WeakMap();
function look(svg, change) {
  const whole = svg.dataset.whole ?? (svg.dataset.whole = svg.getAttribute("viewBox"));
  const [, , width, height] = whole.split(" ").map(Number);
  const { x, y, share } = change(VIEWS.get(svg) ?? { x: width / 2, y: height / 2, share: 1 }, width, height);
  const view = { share: Math.min(1, Math.max(0.15, share)), x, y };
  if (view.share === 1) [view.x, view.y] = [width / 2, height / 2];
  VIEWS.set(svg, view);
  const [w, h] = [width * view.share, height * view.share];
  svg.setAttribute("viewBox", `${view.x - w / 2} ${view.y - h / 2} ${w} ${h}`);
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-zoom]");
  const svg = button?.closest(".picture")?.querySelector("svg");
  const factor = { in: 0.7, out: 1 / 0.7, all: 100 }[button?.dataset.zoom];
  if (svg) look(svg, (view) => ({ ...view, share: view.share * factor }));
});
document.addEventListener("wheel", (event) => {
  const svg = event.ctrlKey ? event.target.closest?.(".picture svg") : null;
  if (!svg) return;
  event.preventDefault();
  look(svg, (view) => ({ ...view, share: view.share * (event.deltaY < 0 ? 0.9 : 1.1) }));
}, { passive: false });
document.addEventListener("pointermove", (event) => {
  const svg = event.buttons === 1 ? event.target.closest?.(".picture svg") : null;
  if (!svg) return;
  look(svg, (view, width) => {
    const scale = (width * view.share) / svg.clientWidth;
    return { ...view, x: view.x - event.movementX * scale, y: view.y - event.movementY * scale };
  });
});

for (const [shown, hidden] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
  document.addEventListener(shown, (event) => {
    const record = event.target.closest?.(".follows [data-record]");
    if (record) follow(record.dataset.record);
  });
  document.addEventListener(hidden, (event) => {
    if (event.target.closest?.(".follows [data-record]")) follow(null);
  });
}

// A form of a page that stays: its fields go to the server as an event, and no page is loaded.
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-stays]");
  if (!form) return;
  event.preventDefault();
  form.dispatchEvent(new CustomEvent("sent", { detail: Object.fromEntries(new FormData(form)) }));
});

const PAGES = { c: "conversations", a: "facts", s: "search", g: "graph", p: "profile", d: "documents", f: "flow" };
let waitsForPage = false;
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    menu(false);
    for (const open of document.querySelectorAll("details.whose[open]")) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  }
  const writes = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (writes && event.key === "Escape") event.target.blur(); // the keys below are free again
  if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
  if (waitsForPage) {
    waitsForPage = false;
    const link = [...document.querySelectorAll(".way a")].find((each) => each.href.includes(`/${PAGES[event.key]}`));
    if (link) link.click();
  } else if (event.key === "/") {
    event.preventDefault();
    const field = document.getElementById("question");
    const search = [...document.querySelectorAll(".way a")].find((each) => each.href.includes("/search"));
    if (field) field.focus();
    else if (search) location.assign(`${search.href}#question`);
  } else if (event.key === "g") {
    waitsForPage = true;
    setTimeout(() => (waitsForPage = false), 1500);
  }
});

// The page is built by a script after this one has run: what it needs is done once it is there.
new MutationObserver((_, observer) => {
  if (!document.querySelector(".console, .alone")) return;
  observer.disconnect();
  theme(root.dataset.theme ?? "auto");
  document.querySelector(location.hash === "#question" ? "#question" : "[autofocus]")?.focus();
}).observe(document, { childList: true, subtree: true });
// A field that comes into a page because somebody asked for it is where they write.
new MutationObserver(() => {
  for (const field of document.querySelectorAll("[data-focuses]")) {
    field.removeAttribute("data-focuses");
    field.focus();
  }
}).observe(document, { childList: true, subtree: true });
