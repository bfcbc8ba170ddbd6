public import Kingfisher

/// Decodes QOI files; decoded images pass through unchanged. Needs no registration.
public struct QOIProcessor: ImageProcessor {
    public static let `default` = QOIProcessor()

    public let identifier = "org.example.QOIProcessor"

    public func process(
        item: ImageProcessItem, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image
        case .data(let data):
            try? Image.decode(data, using: QOICodec(), options: options.imageCreatingOptions)
        }
    }
}
