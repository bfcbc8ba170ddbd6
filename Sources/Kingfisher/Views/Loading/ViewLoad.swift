struct ViewLoad: Sendable {
    let identifier: Source.Identifier.Value
    let source: Source
    /// The options of the load, before they are adapted to the view's size.
    let options: KingfisherParsedOptionsInfo
    let progress: SendableProgressBlock?
    let completion: ViewCompletionHandler?
}
