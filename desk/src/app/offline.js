// The service worker: keeps every file of a site, so that it works without a connection. `shardwise site` writes VERSION and
// FILES above. A new version is fetched while pages of the old one may still be open, and the next load shows it.

/* global VERSION, FILES */

const OURS = `shardwise ${self.registration.scope} `;
const CACHE = OURS + VERSION;
const isHashed = (name) => name.includes("/");

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const name = url.startsWith(self.registration.scope) && url.slice(self.registration.scope.length).split(/[?#]/)[0];
  if (method === "GET" && name !== false && (name === "" || FILES.includes(name) || /^(app|engine)-/.test(name))) {
    event.respondWith(found(event.request, name));
  }
});

async function install() {
  const cache = await caches.open(CACHE);
  for (const name of FILES) {
    const url = new URL(name, self.registration.scope).href;
    const old = isHashed(name) && (await caches.match(url));
    if (old) await cache.put(url, old);
    else await cache.add(new Request(url, { cache: isHashed(name) ? "default" : "reload" }));
  }
  await self.skipWaiting();
}

async function activate() {
  const ours = (await caches.keys()).filter((name) => name.startsWith(OURS));
  await Promise.all(ours.slice(0, -2).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function found(request, name) {
  const url = new URL(name || "index.html", self.registration.scope).href;
  const cache = await caches.open(CACHE);
  return (await cache.match(url)) ?? (await caches.match(url)) ?? fetch(request);
}
