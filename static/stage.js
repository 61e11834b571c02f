// The large pages of a meeting: keys that remote clickers send, a black screen, and two windows that go together.
(() => {
  "use strict"
  const find = (id) => document.getElementById(id)
  const stage = () => find("stage")
  const href = (id) => find(id)?.getAttribute("href")
  const black = () => document.body.classList.toggle("black")
  let typed = null // what follows "g"

  const go = (to) => {
    if (!to) return false
    if (window.htmx) htmx.ajax("GET", to, { target: "#stage", swap: "outerMorph", push: "true" })
    else location.assign(to)
    return true
  }
  // The same walk at another step: the step is the part of the path before the page's own name.
  const toStep = (n) => {
    const first = href("first")
    if (first) go(first.replace("/0/", `/${n}/`))
  }
  const nextView = () => {
    const all = [...document.querySelectorAll("[data-view]")]
    const at = all.findIndex((link) => link.hasAttribute("aria-current"))
    if (all.length) location.assign(all[(at + 1) % all.length].href)
  }
  const notes = () => {
    const to = href("speaker")
    if (to) open(to, "loopscope-speaker", "popup,width=960,height=760")
    return Boolean(to)
  }
  const whole = () => {
    if (document.fullscreenElement) document.exitFullscreen()
    else document.documentElement.requestFullscreen?.().catch(() => {})
  }
  const sheet = () => {
    const dialog = find("stage-keys")
    if (dialog?.open) dialog.close()
    else dialog?.showModal()
  }
  const next = () => go(href("next"))
  const back = () => go(href("back"))
  const KEYS = {
    " ": next, ArrowRight: next, PageDown: next, ".": next, ArrowLeft: back, PageUp: back, ",": back,
    Home: () => go(href("first")), End: () => go(href("last")),
    b: black, v: nextView, s: notes, f: whole, "?": sheet, g: () => { typed = "" },
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || find("stage-keys")?.open) return
    if (event.target.closest("input, textarea, select, [contenteditable]")) return
    if (event.key === " " && event.target.closest("button, summary, a")) return
    // Whatever is pressed on a black screen brings the picture back, and does nothing else.
    if (document.body.classList.contains("black")) { black(); event.preventDefault(); return }
    if (typed !== null) {
      if (/^\d$/.test(event.key)) typed += event.key
      else {
        if (event.key === "Enter" && typed) toStep(Number(typed))
        typed = null
        event.preventDefault()
      }
      return
    }
    const act = KEYS[event.key]
    if (act && act() !== false) event.preventDefault()
  })
  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest?.(selector)
    if (document.body.classList.contains("black")) { black(); event.preventDefault(); return }
    if (at("#stage-keys-button")) { event.preventDefault(); sheet() }
    if (at("#speaker") && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); notes() }
  })

  // Two windows of one browser go together by themselves; where somebody presents, the server tells both.
  const told = () => ["live", "mine"].includes(find("live")?.dataset.state)
  const base = () => href("first")?.replace(/\/0\/(present|speaker)/, "")
  const channel = window.BroadcastChannel && new BroadcastChannel("loopscope-stage")
  let heard = ""
  const tell = () => {
    const step = stage()?.dataset.step
    for (const form of document.querySelectorAll("[data-stepped]")) form.elements.step.value = step
    if (step !== heard && base() && !told()) channel?.postMessage({ base: base(), step })
    heard = step
  }
  channel?.addEventListener("message", ({ data }) => {
    if (told() || data.base !== base() || data.step === stage().dataset.step) return
    heard = data.step
    toStep(data.step)
  })
  document.addEventListener("htmx:after:swap", tell)
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", tell)
  else tell()
})()
