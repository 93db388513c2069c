// Where the address of a page stands in a URL. An exported site may lie in any folder of any server, which knows none of its
// pages, so there it follows the "#".

import { site } from "../api/exported/site";

/** The path and the query string of a page in a URL. */
export function within(url: Pick<URL, "pathname" | "search" | "hash">): { pathname: string; search: string } {
  return site ? new URL(url.hash.slice(1) || "/", "http://site") : url;
}

/** The link to a path and query string of the workbench. */
export function hrefOf(path: string): string {
  return site ? `#${path}` : path;
}
