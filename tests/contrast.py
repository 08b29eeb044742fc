"""How much colours stand out from each other, and what a browser runs to find texts that are too pale to be read."""

from __future__ import annotations


def contrast(colour: str, other: str) -> float:
    """The contrast of two colours such as #1f6fae, as WCAG 2.2 defines it."""
    low, high = sorted((_luminance(colour), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# Every text below the elements of a selector, in their shadow roots too, whose contrast with the part behind it is less than 4.5:1, as "ratio text".
PALE = """(selector) => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const over = (...layers) => {  // the colour that a stack of colours, the lowest first, shows
    pen.clearRect(0, 0, 1, 1);
    for (const colour of layers) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const form of document.querySelectorAll(selector)) {
    for (const element of (form.shadowRoot ?? form).querySelectorAll("*")) {
      const typed = element.tagName === "INPUT" && element.type !== "range" && element.value;
      if (!typed && ![...element.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
      const layers = [];
      for (let up = element; up; up = up.parentElement ?? up.getRootNode().host) layers.unshift(getComputedStyle(up).backgroundColor);
      const [high, low] = [over(...layers), over(...layers, getComputedStyle(element).color)]
        .map((rgba) => light(rgba.slice(0, 3))).sort((a, b) => b - a);
      const ratio = (high + 0.05) / (low + 0.05);
      if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${element.textContent || element.value}`);
    }
  }
  return found;
}"""
