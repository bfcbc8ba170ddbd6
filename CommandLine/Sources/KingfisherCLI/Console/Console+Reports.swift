extension Console {
    /// Reports a failed source on standard error, and with `json` also as an object on standard output.
    func report(_ error: any Error, of source: String, json: Bool) {
        report(error, "source", source, json)
    }

    func report(_ error: any Error, ofFolder path: String, json: Bool) {
        report(error, "folder", path, json)
    }

    func report(_ error: any Error, ofFile path: String, json: Bool) {
        report(error, "file", path, json)
    }

    private func report(_ error: any Error, _ kind: String, _ name: String, _ json: Bool) {
        let text = ErrorText(error)
        // Some messages of the library include the URL, which the line already begins with.
        let message = text.message.replacing(" (\(name.redactedSource))", with: "")
        if json {
            print(JSONLine([kind: .source(name), "error": .text(text.name), "message": .text(message)]))
        }
        let subject = text.namesItsSubject ? "" : "\(name.forMessages): "
        printError("kingfisher: \(subject)\(message)")
    }
}
