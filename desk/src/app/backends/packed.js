// The files of a site that is one page: inside it, compressed and in base64, since a page from a disk can request nothing.

/** The text of each such file by name; none where a site has a folder. */
export const inPage = () =>
  Object.fromEntries(
    [...document.querySelectorAll("script[type='application/gzip']")].map(({ id, text }) => [id, text]),
  );

/** Answer with such a file as a server would. The type matters only to WebAssembly. */
export async function unpacked(text) {
  const packed = await fetch(`data:;base64,${text}`);
  const stream = packed.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": "application/wasm" } });
}

/** Return an address from which such a file can be imported. From a disk, Chromium starts no worker from a blob. */
export const importable = async (text) =>
  `data:text/javascript,${encodeURIComponent(await (await unpacked(text)).text())}`;
