/// What one `setImage` asked for.
struct ViewLoad: Sendable {
    let identifier: Source.Identifier.Value
    let source: Source
    /// What holds for the load, but for what the view's size on screen adds to it.
    let options: KingfisherParsedOptionsInfo
    let progress: SendableProgressBlock?
    let completion: ViewCompletionHandler?
}
