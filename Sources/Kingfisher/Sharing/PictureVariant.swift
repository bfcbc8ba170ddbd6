import KingfisherImage

/// A way of making a picture of a source's bytes: requests with equal variants get the same picture.
struct PictureVariant: Hashable, Sendable {
    let identifier: String
    let creating: ImageCreatingOptions

    func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
    }
}

extension KingfisherParsedOptionsInfo {
    /// The processor and the way of decoding that these options ask for.
    var pictureVariant: PictureVariant {
        PictureVariant(identifier: processor.identifier, creating: imageCreatingOptions)
    }
}
