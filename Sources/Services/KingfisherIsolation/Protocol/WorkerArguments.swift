/// What a decoder process is started with.
struct WorkerArguments {
    /// Bytes of memory, and seconds of CPU time.
    let memory, seconds: UInt64
    let access: DecoderAccess

    /// Environment variables that stay after the lock-down.
    static let languageVariables = [
        "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG", "PANGO_LANGUAGE",
    ]

    var texts: [String] { [String(memory), String(seconds), access.rawValue] }
}

extension WorkerArguments {
    init?(_ texts: [String]) {
        guard texts.count == 3, let memory = UInt64(texts[0]), let seconds = UInt64(texts[1]),
            let access = DecoderAccess(rawValue: texts[2])
        else { return nil }
        self.init(memory: memory, seconds: seconds, access: access)
    }
}
