// Read by AddressSanitizer at start: an allocation that cannot be had returns null, as in wasm, so
// that tests of running out of memory see what the product sees.

extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
