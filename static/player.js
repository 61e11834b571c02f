// Keys, play and scrubbing on top of links that work without this file.
(() => {
  "use strict"
  document.documentElement.classList.add("scripted")
  const find = (id) => document.getElementById(id)
  const PAUSE = 1400
  let timer = 0
  let typed = null // what follows "g"
  let describing = false // whether a pod was clicked: what is morphed stays as open as it was

  const go = (href) => {
    if (href && window.htmx) htmx.ajax("GET", href, { target: "#step", swap: "outerMorph", push: "true" })
    else if (href) location.assign(href)
  }
  const href = (element) => element?.getAttribute("href")
  const follow = (id) => {
    const to = href(find(id))
    if (to) go(to)
    return Boolean(to)
  }
  const ticks = () => [...document.querySelectorAll("#ticks .tick")]
  const now = () => Number(find("scrub")?.getAttribute("aria-valuenow"))
  const toStep = (n) => {
    const most = ticks().length
    const to = Math.min(most, Math.max(0, n))
    if (to !== now()) go(to ? href(ticks()[to - 1]) : href(find("first")))
  }

  // Play: one step after the other, from rest, until the end or any other key.
  const show = () => {
    const button = find("play")
    if (!button) return
    button.hidden = false
    button.textContent = timer ? "Pause" : "Play"
    button.setAttribute("aria-pressed", String(Boolean(timer)))
  }
  const pause = () => {
    clearTimeout(timer)
    timer = 0
    show()
  }
  const beat = () => {
    timer = setTimeout(() => (follow("next") ? beat() : pause()), PAUSE)
    show()
  }
  const toggle = () => (timer ? pause() : beat())

  // The step list and the slider's marks are kept when a step is swapped: only where one is moves along them.
  const mark = () => {
    const at = now()
    const state = (element, n) => {
      const is = n === at ? "now" : n < at ? "done" : "ahead"
      for (const name of ["done", "now", "ahead"]) element.classList.toggle(name, name === is)
    }
    ticks().forEach((tick, before) => state(tick, before + 1))
    find("now")?.removeAttribute("id")
    rows().forEach((row, before) => {
      state(row.parentElement, before + 1)
      if (before + 1 !== at) return row.removeAttribute("aria-current")
      row.parentElement.id = "now"
      row.setAttribute("aria-current", "step")
    })
  }

  // The current step stays in view inside its list; the page itself does not move.
  const settle = () => {
    if (find("scrub")) mark()
    const row = find("now")
    const list = row?.closest("ol")
    if (list) {
      const above = row.offsetTop - list.offsetTop - 40
      const below = row.offsetTop - list.offsetTop + row.offsetHeight + 40
      if (above < list.scrollTop) list.scrollTop = above
      else if (below > list.scrollTop + list.clientHeight) list.scrollTop = below - list.clientHeight
    }
    // Outside the part that is swapped: what else names the step or the address.
    const at = find("settings")?.elements.at
    if (at) at.value = now()
    if (find("scrub")) {
      for (const form of document.querySelectorAll("[data-stepped]")) form.elements.step.value = now()
      for (const link of document.querySelectorAll("[data-at]")) {
        link.setAttribute("href", link.dataset.at.replace(/\/[^/?]+\/(present|speaker)/, `/${now()}/$1`))
      }
    }
    for (const link of document.querySelectorAll(".themes a")) {
      const to = new URL(location.href)
      if (link.dataset.theme) to.searchParams.set("theme", link.dataset.theme)
      else to.searchParams.delete("theme")
      link.setAttribute("href", to.pathname + to.search)
    }
    const described = describing && find("described")
    if (described) {
      described.open = true
      described.scrollIntoView({ block: "nearest" })
    }
    describing = false
    show()
  }

  const sheet = () => {
    const dialog = find("keys")
    if (dialog?.open) dialog.close()
    else dialog?.showModal()
  }
  // What to paste is fetched when it is asked for: most readers never do.
  const embed = (link) => {
    htmx.ajax("GET", href(link), { target: "#embed-body", swap: "innerHTML" })
    find("embed").showModal()
  }
  const rows = () => [...document.querySelectorAll("#steps li a")]
  const inList = (by) => {
    const all = rows()
    const at = all.indexOf(document.activeElement)
    const from = at < 0 ? all.findIndex((row) => row.hasAttribute("aria-current")) : at
    all[Math.min(all.length - 1, Math.max(0, from + by))]?.focus()
  }
  const others = () => {
    find("orders")?.scrollIntoView({ block: "nearest" })
    document.querySelector("#orders .offers a, #orders .offers button")?.focus()
  }
  const amongOffers = (by) => {
    const all = [...document.querySelectorAll("#orders .offers a, #orders .offers button")]
    const at = all.indexOf(document.activeElement)
    if (at < 0) return false
    all[Math.min(all.length - 1, Math.max(0, at + by))].focus()
    return true
  }

  const KEYS = {
    ArrowRight: () => follow("next"), ".": () => follow("next"), PageDown: () => follow("next"),
    ArrowLeft: () => follow("back"), ",": () => follow("back"), PageUp: () => follow("back"),
    Home: () => follow("first"), End: () => follow("last"),
    " ": toggle, j: () => inList(1), k: () => inList(-1), b: others,
    ArrowDown: () => amongOffers(1) || others(), ArrowUp: () => amongOffers(-1),
    f: () => find("fork")?.click(), p: () => find("present")?.click(), "?": sheet, g: () => { typed = "" },
  }
  // On the slider itself the arrows go along it, and a page is a tenth of it.
  const tenth = () => Math.max(1, Math.round(ticks().length / 10))
  const slide = {
    PageDown: () => toStep(now() + tenth()), PageUp: () => toStep(now() - tenth()),
    ArrowUp: () => follow("next"), ArrowDown: () => follow("back"),
  }

  document.addEventListener("keydown", (event) => {
    const target = event.target
    if (event.ctrlKey || event.metaKey || event.altKey || !find("scrub") || document.querySelector("dialog[open]")) return
    if (target.closest("input, textarea, select, [contenteditable]")) return
    if (event.key === "Escape") { typed = null; pause(); return }
    if (typed !== null) {
      if (/^\d$/.test(event.key)) typed += event.key
      else {
        if (event.key === "Enter" && typed) { toStep(Number(typed)); event.preventDefault() }
        typed = null
      }
      return
    }
    // Space and Enter belong to whatever has the focus.
    if (event.key === " " && target.closest("button, summary, a")) return
    if ((event.key === "ArrowUp" || event.key === "ArrowDown") && target.closest(".scroll, .terminal, ol, dialog")) return
    if (/^[1-9]$/.test(event.key)) { pause(); toStep(Number(event.key)); return }
    const act = KEYS[event.key]
    if (!act) return
    if (event.key !== " ") pause()
    const taken = target.id === "scrub" && slide[event.key] ? slide[event.key]() : act()
    if (taken !== false) event.preventDefault()
  })

  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest?.(selector)
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return
    if (at("#play")) toggle()
    else if (at("#next, #back")) pause()
    if (at("#keys-button") || at("[data-close]")) { event.preventDefault(); sheet() }
    if (window.htmx && at("#embed-open")) { event.preventDefault(); pause(); embed(at("#embed-open")) }
    if (at("#list-toggle") && matchMedia("(min-width: 1381px)").matches) {
      event.preventDefault()
      document.body.classList.toggle("no-list")
      settle()
    }
    if (at("[data-copy]")) { at("[data-copy]").select(); navigator.clipboard?.writeText(at("[data-copy]").value).catch(() => {}) }
    // Anchors inside SVG are none of htmx's; the slider's own are handled where it is dragged.
    const pod = window.htmx && at(".terminal a[href]")
    if (pod) { event.preventDefault(); pause(); describing = true; go(href(pod).split("#")[0]) }
    if (at("#ticks a")) event.preventDefault()
    else if (at("svg a[href]")) { event.preventDefault(); go(href(at("svg a[href]"))) }
  })

  // Scrubbing: the tick nearest to the pointer; a step is fetched when it is another one and the last has come.
  let dragging = false
  let waiting = false
  const nearest = (x) => {
    const far = (tick) => { const box = tick.lastElementChild.getBoundingClientRect(); return Math.abs(box.left + box.width / 2 - x) }
    return ticks().reduce((best, tick, at) => (far(tick) < best.far ? { far: far(tick), n: at + 1 } : best), { far: Infinity, n: 0 }).n
  }
  const scrub = (event) => {
    const n = nearest(event.clientX)
    if (waiting || n === now()) return
    waiting = true
    toStep(n)
  }
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest?.("#ticks") || event.button) return
    dragging = true
    pause()
    find("scrub").focus({ preventScroll: true })
    event.preventDefault()
    scrub(event)
  })
  document.addEventListener("pointermove", (event) => { if (dragging) scrub(event) })
  document.addEventListener("pointerup", (event) => { if (dragging) { dragging = false; waiting = false; scrub(event) } })
  document.addEventListener("pointercancel", () => { dragging = false })
  // What could not be fetched is said, until something else could.
  const lost = (is) => { if (find("lost")) find("lost").hidden = !is }
  document.addEventListener("htmx:after:swap", () => { waiting = false; lost(false); settle() })

  // A fragment has each picture in one shape, the one for this window, and the list of steps only where it is another.
  const narrow = matchMedia("(max-width: 700px)")
  document.addEventListener("htmx:config:request", (event) => {
    const { headers } = event.detail.ctx.request
    headers["Loopscope-Shape"] = narrow.matches ? "narrow" : "wide"
    headers["Loopscope-Listing"] = find("list")?.dataset.listing ?? ""
  })
  narrow.addEventListener("change", () => {
    if (find("scrub") && window.htmx) htmx.ajax("GET", location.pathname + location.search, { target: "#step", swap: "outerMorph" })
  })
  document.addEventListener("htmx:error", () => { waiting = false; lost(true); pause() })
  document.addEventListener("DOMContentLoaded", settle)
  addEventListener("pageshow", settle)
  if (document.readyState !== "loading") settle()
})()
