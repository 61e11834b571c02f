// Keys in a frame, and its height for the page around it. The links work without this file.
(() => {
  "use strict"
  const find = (id) => document.getElementById(id)
  // In a sandbox the frame has no origin, and may not fetch what it may well load: there the links stay plain links.
  if (self.origin === "null") find("step")?.removeAttribute("hx-boost:inherited")

  // Only keys that scroll nothing; they come only while the frame has the focus.
  const KEYS = { ArrowRight: "next", ".": "next", ArrowLeft: "back", ",": "back" }
  document.addEventListener("keydown", (event) => {
    const link = find(KEYS[event.key])
    if (!link || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    link.click()
    event.preventDefault()
  })

  if (document.body.classList.contains("grows")) {
    const tell = () => parent.postMessage({ type: "loopscope:height", height: Math.ceil(document.body.getBoundingClientRect().height) }, "*")
    new ResizeObserver(tell).observe(document.body)
  }
})()
