// SPDX-License-Identifier: Apache-2.0

/// The style of all pages: the system's fonts, one accent, and the colours of day and night.
enum Stylesheet {
  static let bytes = HTTPResponse.Body.bytes(Array(text.utf8))

  private static let text = #"""
    :root {
      color-scheme: light dark;
      --ground: #fbfaf8; --panel: #ffffff; --line: #e4e0da; --text: #23211e; --quiet: #716b63;
      --accent: #22627f; --accent-ground: #e6f0f3; --bad: #a3301f; --bad-ground: #fbeae6;
      --mark: #f6d38b; --fresh: #eaf4e2;
      --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #191a1c; --panel: #202225; --line: #34373b; --text: #e6e3de; --quiet: #9b968d;
        --accent: #7cc0d8; --accent-ground: #21343c; --bad: #f0937f; --bad-ground: #3a2420;
        --mark: #6d5419; --fresh: #24331f;
      }
    }
    * { box-sizing: border-box; }
    html { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
    body { margin: 0; background: var(--ground); color: var(--text); }
    a { color: var(--accent); text-decoration: none; }
    a:hover { text-decoration: underline; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 1rem; top: .5rem; background: var(--panel); padding: .25rem .5rem; }

    body > header {
      display: flex; align-items: baseline; gap: 1.5rem; padding: .8rem 1.5rem;
      background: var(--panel); border-bottom: 1px solid var(--line);
    }
    .store { font-weight: 650; color: var(--text); }
    .mode {
      margin-left: auto; font-size: .8rem; color: var(--quiet); border: 1px solid var(--line);
      border-radius: 1rem; padding: .05rem .7rem;
    }
    .mode.changes { color: var(--bad); border-color: var(--bad); }
    [aria-current=page] { font-weight: 600; }

    .frame { display: grid; grid-template-columns: 14rem minmax(0, 1fr); }
    .entities {
      padding: 1.2rem .75rem; border-right: 1px solid var(--line);
      min-height: calc(100vh - 3.2rem);
    }
    .entities h2 {
      margin: 0 .75rem .4rem; font-size: .75rem; font-weight: 600; color: var(--quiet);
      letter-spacing: .05em; text-transform: uppercase;
    }
    .entities ul { list-style: none; margin: 0; padding: 0; }
    .entities a {
      display: flex; justify-content: space-between; gap: .5rem; padding: .25rem .75rem;
      border-radius: 6px; color: var(--text); overflow-wrap: anywhere;
    }
    .entities a:hover { background: var(--accent-ground); text-decoration: none; }
    .entities [aria-current=page] { background: var(--accent-ground); color: var(--accent); }
    .entities data { color: var(--quiet); font-size: .85rem; font-variant-numeric: tabular-nums; }
    .level1 { padding-left: .8rem; } .level2 { padding-left: 1.6rem; }
    .level3 { padding-left: 2.4rem; } .level4 { padding-left: 3.2rem; }

    main { padding: 1.4rem 1.8rem 4rem; }
    main:focus { outline: none; }
    h1 { margin: 0 0 1rem; font-size: 1.5rem; font-weight: 650; overflow-wrap: anywhere; }
    h1 .label { color: var(--quiet); font-weight: 400; margin-left: .3rem; }
    h2 { margin: 1.8rem 0 .6rem; font-size: 1.05rem; font-weight: 600; }
    .hint, .count { color: var(--quiet); margin: .6rem 0; }
    .absent { color: var(--quiet); opacity: .75; }
    .notice, .error {
      padding: .55rem .9rem; border-radius: 8px; background: var(--accent-ground); margin: 0 0 1rem;
    }
    .error { background: var(--bad-ground); color: var(--bad); overflow-wrap: anywhere; }
    .error p { margin: 0; }
    .error pre { margin: .5rem 0 0; color: var(--text); }
    mark { background: var(--mark); color: inherit; border-radius: 2px; }

    .filter { display: flex; align-items: center; gap: .7rem; flex-wrap: wrap; }
    .filter label:first-child { color: var(--quiet); }
    .filter input[type=search] { flex: 1 1 20rem; font-family: var(--mono); font-size: .9rem; }
    input[type=text], input[type=search], textarea, select {
      padding: .4rem .6rem; border: 1px solid var(--line); border-radius: 6px;
      background: var(--panel); color: var(--text); font: inherit;
    }
    .check { display: inline-flex; align-items: center; gap: .35rem; color: var(--quiet); }
    button, .button {
      padding: .4rem 1rem; border: 1px solid var(--accent); border-radius: 6px; font: inherit;
      background: var(--accent); color: var(--ground); cursor: pointer; display: inline-block;
    }
    .button { background: none; color: var(--accent); }
    .danger { background: var(--bad); border-color: var(--bad); }

    .scroll {
      overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--panel);
    }
    table { border-collapse: collapse; width: 100%; font-size: .9rem; }
    th, td {
      text-align: left; font-weight: 400; padding: .38rem .8rem; white-space: nowrap;
      border-bottom: 1px solid var(--line); max-width: 24rem; overflow: hidden;
      text-overflow: ellipsis; vertical-align: top;
    }
    tbody tr:last-child > * { border-bottom: 0; }
    tbody tr:hover { background: var(--accent-ground); }
    thead th { color: var(--quiet); font-size: .82rem; font-weight: 600; }
    thead th a { color: inherit; }
    th[aria-sort] { color: var(--text); }
    th[aria-sort=ascending] a::after { content: " ↑"; }
    th[aria-sort=descending] a::after { content: " ↓"; }
    .number { text-align: right; font-variant-numeric: tabular-nums; }
    tr.new { background: var(--fresh); }
    .bytes { color: var(--quiet); }
    .pager { display: flex; gap: 1.2rem; margin: 1rem 0; align-items: baseline; }
    .pager span { color: var(--quiet); }

    pre {
      font: .85rem/1.55 var(--mono); padding: .8rem 1rem; margin: 0; overflow-x: auto;
      border: 1px solid var(--line); border-radius: 8px; background: var(--panel);
    }
    .plan { margin-bottom: 1rem; }
    code { font-family: var(--mono); font-size: .88em; }
    dl { margin: 0; }
    .values, .facts { border: 1px solid var(--line); border-radius: 8px; background: var(--panel); }
    .values > div, .facts > div {
      display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 1rem; padding: .45rem .9rem;
      border-bottom: 1px solid var(--line);
    }
    .values > div:last-child, .facts > div:last-child { border-bottom: 0; }
    dt { color: var(--quiet); overflow-wrap: anywhere; }
    dt small, .name small { opacity: .8; margin-left: .4rem; }
    dd { margin: 0; overflow-wrap: anywhere; }
    .text { white-space: pre-wrap; unicode-bidi: isolate; }
    .links { list-style: none; margin: 0; padding: 0; display: inline; }
    .links li { display: inline; }
    .links li::after { content: ", "; color: var(--quiet); }
    .links li:last-child::after { content: ""; }
    .all { color: var(--quiet); margin-left: .5rem; font-size: .88rem; }
    .all:first-child { margin-left: 0; }

    details.entity {
      border: 1px solid var(--line); border-radius: 8px; background: var(--panel);
      margin-bottom: .6rem; padding: .45rem .9rem;
    }
    details.entity table { margin: .4rem 0; }
    summary { cursor: pointer; }

    .edit .field { margin: 0 0 1rem; max-width: 44rem; }
    .edit .name { display: block; color: var(--quiet); margin-bottom: .2rem; }
    .edit textarea, .edit input[type=text] {
      width: 100%; font-family: var(--mono); font-size: .9rem;
    }
    .edit [aria-invalid] { border-color: var(--bad); }
    .edit .field .error { margin: .3rem 0 0; padding: .3rem .7rem; }
    .actions { display: flex; gap: 1.2rem; align-items: start; margin-top: 1.4rem; }
    .delete summary { color: var(--bad); padding: .4rem 0; }

    @media (max-width: 46rem) {
      .frame { grid-template-columns: minmax(0, 1fr); }
      .entities { border-right: 0; border-bottom: 1px solid var(--line); min-height: 0; }
      main { padding: 1rem; }
      .values > div, .facts > div { grid-template-columns: minmax(0, 1fr); gap: .1rem; }
    }

    """#
}
