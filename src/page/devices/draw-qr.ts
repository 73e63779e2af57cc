import encodeQR from "qr";

const SVG = "http://www.w3.org/2000/svg";
/** The quiet zone that scanners need. */
const BORDER_MODULES = 3;

/** The text as a QR code, node by node. Dark on light in every theme, because not every camera reads inverted codes. */
export function drawQr(text: string): SVGSVGElement {
  const rows = encodeQR(text, "raw", { ecc: "low", border: BORDER_MODULES });
  const svg = element("svg", {
    viewBox: `0 0 ${rows.length} ${rows.length}`,
    role: "img",
    "aria-label": "QR code of the link",
  });
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  svg.append(
    element("rect", { width: "100%", height: "100%", fill: "#fff" }),
    element("path", { d: dark.join(""), fill: "#000", "shape-rendering": "crispEdges" }),
  );
  return svg;
}

function element<Name extends "svg" | "rect" | "path">(name: Name, attributes: Readonly<Record<string, string>>) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
