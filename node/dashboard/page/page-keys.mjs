import { pageHead, put } from "./dom.mjs";

/**
 * @param {HTMLElement} root
 * @param {import("./app.mjs").App} app
 */
export async function show(root, app) {
  put(root, pageHead("keys", "In work.", app.role));
}
