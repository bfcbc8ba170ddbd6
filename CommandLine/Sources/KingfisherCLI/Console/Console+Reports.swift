extension Console {
    /// Tells of a failed source: a line on standard error, and with `json` an object on standard output, too.
    func report(_ error: any Error, of source: String, json: Bool) {
        report(error, "source", source, json)
    }

    /// Tells in the same way of a cache that cannot be opened.
    func report(_ error: any Error, ofFolder path: String, json: Bool) {
        report(error, "folder", path, json)
    }

    /// Tells in the same way of an entry of the cache.
    func report(_ error: any Error, ofFile path: String, json: Bool) {
        report(error, "file", path, json)
    }

    private func report(_ error: any Error, _ kind: String, _ name: String, _ json: Bool) {
        let text = ErrorText(error)
        // The library names the URL in some of its sentences, and the line begins with it.
        let message = text.message.replacing(" (\(name.redactedSource))", with: "")
        if json {
            print(JSONLine([kind: .source(name), "error": .text(text.name), "message": .text(message)]))
        }
        let subject = text.namesItsSubject ? "" : "\(name.forMessages): "
        printError("kingfisher: \(subject)\(message)")
    }
}
