"use strict";

// Browsers refuse to fetch one file from another: without a server, search results have no excerpt.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

document.addEventListener("DOMContentLoaded", () => {
  // The theme's arrows that unfold a part of the contents have no name.
  for (const summary of document.querySelectorAll("nav summary:not([aria-label])")) {
    const link = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages of ${link?.textContent.trim() || "this part"}`);
  }
});
