// Follow a presenter: the server tells of every change as it happens, and the connection heals by itself.
(() => {
  "use strict"
  const live = document.getElementById("live")
  if (!live || !window.EventSource) return
  const { role, me } = live.dataset
  const stage = () => document.getElementById("stage")
  const narrow = matchMedia("(max-width: 700px)")
  let source = null
  let again = 0
  let wait = 1000

  // On a page to look around, "live" is where the presenter is; it waits while nobody sees it.
  const around = role === "around"
  const fill = (data) => {
    live.dataset.state = !data.live ? "waiting" : data.lead === me ? "mine" : "live"
    live.dataset.shown = data.session
    for (const part of document.querySelectorAll("[data-tell='step']")) part.textContent = data.step
    for (const part of document.querySelectorAll("[data-tell='name']")) if (data.name) part.textContent = data.name
    for (const link of document.querySelectorAll("[data-leads]")) {
      link.href = link.dataset.leads.replace("{id}", data.session).replace("{step}", data.step)
    }
  }
  const swap = (text) => {
    if (window.htmx) htmx.swap({ text, target: stage(), swap: "outerMorph", sourceElement: document.body })
    else stage().outerHTML = text
  }
  const fetched = (path) => {
    if (window.htmx) htmx.ajax("GET", path, { target: "#stage", swap: "outerMorph" })
    else location.reload()
  }
  const told = (event) => {
    live.classList.remove("away")
    wait = 1000
    const data = JSON.parse(event.data)
    const known = Number(stage()?.dataset.revision ?? live.dataset.revision)
    const was = live.dataset.shown
    fill(data)
    if (role === "follow") { if (data.html && data.revision >= known) swap(data.html) }
    else if (!around && data.revision > known && data.live) {
      // This window's own steps come back to it, too; it only goes where it is not.
      if (role === "notes" || data.lead === me) {
        if (data.session !== was || String(data.step) !== stage().dataset.step) fetched(live.dataset.stream.replace("/live", role === "notes" ? "/speaker" : "/present"))
      }
    }
  }
  const connect = () => {
    clearTimeout(again)
    source?.close()
    const to = new URL(live.dataset.stream, location.href)
    if (role === "follow") to.searchParams.set("shape", narrow.matches ? "narrow" : "wide")
    source = new EventSource(to)
    source.addEventListener("message", told)
    source.addEventListener("gone", () => { source.close(); live.dataset.state = "gone" })
    source.addEventListener("error", () => {
      live.classList.add("away")
      // A browser tries again by itself, except after an answer such as a proxy's 502.
      if (source.readyState === EventSource.CLOSED && live.dataset.state !== "gone") {
        clearTimeout(again)
        again = setTimeout(connect, wait * (1 + Math.random()))
        wait = Math.min(30000, 2 * wait)
      }
    })
  }
  narrow.addEventListener("change", () => { if (role === "follow") connect() })
  // A browser holds few connections to one server: pages that nobody sees give theirs back.
  if (around) document.addEventListener("visibilitychange", () => { if (document.hidden) source?.close(); else connect() })
  addEventListener("pagehide", () => source?.close())
  addEventListener("pageshow", (event) => { if (event.persisted) connect() })
  document.addEventListener("htmx:after:swap", () => {
    const here = role === "lead" && stage()?.dataset.here
    if (here && here !== location.pathname + location.search) history.replaceState(history.state, "", here)
  })
  if (!around || !document.hidden) connect()
})()
