/// Takes one input of the fuzzer. Returns when all that is promised held, traps when something did not.
typealias FuzzTarget = @Sendable (UnsafeRawBufferPointer) -> Void

/// The targets by the name that `FUZZ_TARGET` gives; each has a folder of that name under `corpus/`.
let fuzzTargets: [(name: String, run: FuzzTarget)] = [
    ("http", fuzzHTTP),
    ("websocket", fuzzWebSocket),
    ("engineio", fuzzEngineIO),
    ("socketio", fuzzSocketIO),
    ("json", fuzzJSON),
    ("multipart", fuzzMultipart),
    ("media", fuzzMedia),
    ("ticks", fuzzTicks),
    ("text", fuzzText),
]
