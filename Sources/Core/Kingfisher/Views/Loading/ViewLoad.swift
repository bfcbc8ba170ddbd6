struct ViewLoad: Sendable {
    let identifier: Source.Identifier.Value
    let source: Source
    /// The options of the load, before they are adapted to the view's size.
    let options: KingfisherParsedOptionsInfo
    let progress: SendableProgressBlock?
    let completion: ViewCompletionHandler?

    /// The same load under a new identifier, to run it again.
    func renumbered() -> ViewLoad {
        ViewLoad(
            identifier: Source.Identifier.next(), source: source, options: options, progress: progress,
            completion: completion)
    }

    /// Whether the image is in memory, decoded to `size`.
    @MainActor func isInMemory(decodedTo size: DecodedSize?) -> Bool {
        (options.manager ?? .shared).hasInMemory(source, options: options.decoding(to: size))
    }
}
