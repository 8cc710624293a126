// Before anything is drawn, or a dark page would flash light.
try {
  document.documentElement.dataset.theme = localStorage.getItem("mneme-theme") || "auto";
} catch {
  // a browser that keeps nothing
}
