import KingfisherImage

/// A way of making a picture of a source's bytes: requests with equal variants get the same picture.
struct PictureVariant: Hashable, Sendable {
    let identifier: ExactText
    let creating: ImageCreatingOptions
    let context: ObjectIdentifier?

    func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }
}

extension KingfisherParsedOptionsInfo {
    /// The processor and the way of decoding that these options ask for.
    var pictureVariant: PictureVariant {
        PictureVariant(
            identifier: ExactText(processor.identifier), creating: imageCreatingOptions,
            context: decodingContext.map(ObjectIdentifier.init))
    }
}
