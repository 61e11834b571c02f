// An exported walk: the arrow keys move from step to step, as the links do without it.
(() => {
  const steps = [...document.querySelectorAll(".step")];
  const here = () => steps.findIndex((step) => `#${step.id}` === location.hash);
  const show = (index) => {
    const step = steps[Math.max(0, Math.min(steps.length - 1, index))];
    location.hash = step.id;
  };
  const keys = {
    ArrowRight: () => show(here() + 1), PageDown: () => show(here() + 1), ".": () => show(here() + 1),
    ArrowLeft: () => show(here() - 1), PageUp: () => show(here() - 1), ",": () => show(here() - 1),
    Home: () => show(0), End: () => show(steps.length - 1),
  };
  addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, select, textarea, [contenteditable]");
    if (busy || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  addEventListener("hashchange", () => {
    const step = steps[here()];
    if (!step) return;
    scrollTo(0, 0);
    step.querySelector("h2").focus({ preventScroll: true });
  });
  if (!location.hash && steps.length) location.replace(`#${steps[0].id}`);
})();
