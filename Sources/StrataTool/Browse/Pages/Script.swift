// SPDX-License-Identifier: Apache-2.0

/// The script of all pages. It follows the store's changes while the page is visible, and adds
/// keys: `/` goes to the condition, `[` and `]` to the page before and after, `r` loads the page
/// again.
enum Script {
  static let bytes = HTTPResponse.Body.bytes(Array(text.utf8))

  private static let text = #"""
    "use strict";

    const changed = document.getElementById("changed");
    const transactions = document.getElementById("transactions");
    const live = document.getElementById("live");
    const rowCountMax = 500;
    let revision = document.body.dataset.revision;
    let last = transactions ? transactions.dataset.after : undefined;
    let arrived = 0;
    let source;

    // A browser has few connections to a server: a hidden page gives its own back.
    function follow() {
      if (source) { source.close(); source = undefined; }
      if (document.hidden) return;
      const query = new URLSearchParams({ revision });
      if (last !== undefined) query.set("after", last);
      source = new EventSource("/events?" + query);
      source.addEventListener("change", (event) => {
        revision = event.data;
        if (last === undefined) changed.hidden = false;
      });
      source.addEventListener("transaction", (event) => {
        last = event.lastEventId;
        const template = document.createElement("template");
        // The server has escaped all values; the page's policy lets no script in.
        template.innerHTML = event.data;
        const row = template.content.firstElementChild;
        if (!row) return;
        row.classList.add("new");
        transactions.prepend(row);
        while (transactions.children.length > rowCountMax) transactions.lastElementChild.remove();
        arrived += 1;
        live.textContent = "Following: " + arrived + " since this page was opened.";
      });
      source.addEventListener("restart", () => {
        source.close();
        changed.hidden = false;
      });
    }

    if (live && last !== undefined) live.textContent = "Following: later transactions appear here.";
    document.addEventListener("visibilitychange", follow);
    window.addEventListener("pagehide", () => { if (source) source.close(); });
    follow();

    document.addEventListener("keydown", (event) => {
      const inField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
      const condition = document.getElementById("where");
      if (event.key === "/" && condition) {
        event.preventDefault();
        condition.focus();
        condition.select();
      } else if (event.key === "[" || event.key === "]") {
        const link = document.querySelector(
          event.key === "[" ? "link[rel=prev]" : "link[rel=next]");
        if (link) location.href = link.href;
      } else if (event.key === "r") {
        location.reload();
      }
    });

    // A value that is typed is a value.
    for (const box of document.querySelectorAll("input[name^='null.']")) {
      const field = document.getElementById("set." + box.name.slice(5));
      if (field) field.addEventListener("input", () => { box.checked = false; });
    }

    """#
}
