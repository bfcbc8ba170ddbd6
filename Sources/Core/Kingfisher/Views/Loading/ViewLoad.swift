struct ViewLoad: Sendable {
    let identifier: Source.Identifier.Value
    let source: Source
    /// The options of the load, before they are adapted to the view's size.
    let options: KingfisherParsedOptionsInfo
    let progress: SendableProgressBlock?
    let completion: ViewCompletionHandler?

    /// What is shown until the image arrives; nil for the placeholder or the current image.
    let lowResolution: LowResolution?

    /// The same load under a new identifier, to run it again.
    func renumbered() -> ViewLoad {
        ViewLoad(
            identifier: Source.Identifier.next(), source: source, options: options, progress: progress,
            completion: completion, lowResolution: lowResolution)
    }

    var manager: KingfisherManager { options.manager ?? .shared }

    /// Whether the image is in memory, decoded to `size`.
    @MainActor func isInMemory(decodedTo size: DecodedSize?) -> Bool {
        manager.imageInMemory(of: source, options: options.decoding(to: size)) != nil
    }
}
