extension Console {
    /// Tells of a failed source: a line on standard error, or with `json` an object on standard output, too.
    func report(_ error: any Error, of source: String, json: Bool) {
        let text = ErrorText(error)
        if json {
            print(
                JSONLine(["source": .text(source), "error": .text(text.name), "message": .text(text.message)])
                    .description)
        }
        printError("kingfisher: \(source.forMessages): \(text.message)")
    }
}
