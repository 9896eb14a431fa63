/** HTML of the renderer in the page: its links, boxes, images, and buttons that copy code. */

import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { colourCode } from "../colour/colour.ts";
import { copyText } from "./copy.ts";
import { fillWithHtml } from "./trusted-html.ts";

export function Html({ html, class: name }: { html: string; class: string }): VNode {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    fillWithHtml(element, html);
    addCopyButtons(element);
    followDirection(element);
    openElsewhere(element);
    nameBoxes(element);
    const undo = colourCode(element);
    const images =
      element.querySelector("img[data-served]") &&
      import("../state/files.ts").then((one) => one.showServed(element));
    return () => {
      undo();
      void images?.then((forget) => forget());
    };
  }, [html]);
  return <div ref={place} class={name} />;
}

/**
 * Each list, quotation and table detects its direction, so that bullets and bars are at the side where the text begins.
 */
function followDirection(element: Element): void {
  for (const block of element.querySelectorAll<HTMLElement>("ul, ol, blockquote, table")) block.dir = "auto";
}

/** A link opens in a new tab, and does not replace the page of the session. */
function openElsewhere(element: Element): void {
  for (const link of element.querySelectorAll<HTMLAnchorElement>('a[href^="http"]')) link.target = "_blank";
}

/** A box of a list of tasks has no label of its own. */
function nameBoxes(element: Element): void {
  for (const box of element.querySelectorAll<HTMLInputElement>("input[type=checkbox]"))
    box.ariaLabel = box.checked ? "done" : "to do";
}

function addCopyButtons(element: Element): void {
  for (const code of element.querySelectorAll("pre:not(.plain)")) {
    const frame = document.createElement("div");
    frame.className = "code";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => void copyText(code.textContent ?? "", button));
    code.setAttribute("tabindex", "0");
    code.replaceWith(frame);
    frame.append(code, button);
  }
}
