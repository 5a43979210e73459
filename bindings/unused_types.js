// Emscripten JS library, compiled into the glue of every variant.
//
// Embind registers all types that it knows when a module starts, used or not. No function of ours
// takes or gives wide strings or 64-bit integers, and the code for them is a tenth of the glue, which
// every page loads: these registrations do nothing instead. A function that came to use such a type
// would fail at its first call, with "unbound types".
//
// The condition: while emcc writes the TypeScript declarations it runs this without ES modules.

#if EXPORT_ES6
for (const name of ['_embind_register_std_wstring', '_embind_register_bigint']) {
  LibraryManager.library[name] = function () {};
  LibraryManager.library[`${name}__deps`] = [];
}
#endif
