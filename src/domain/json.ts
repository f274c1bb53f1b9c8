/** What can be stored and sent: plain JSON, no `undefined`, no class instances. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object, for places where the top level must be one. */
export type JsonObject = { readonly [key: string]: Json };
