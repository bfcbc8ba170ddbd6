extension String {
    /// The text without NUL characters, which end a C string and which GTK's text buffers refuse.
    var withoutNUL: String {
        utf8.contains(0) ? filter { $0 != "\0" } : self
    }
}
