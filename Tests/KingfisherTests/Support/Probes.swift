import Foundation
import Kingfisher
import Synchronization

/// A processor that counts its calls and returns the output of the default processor, or of `result`.
final class CountingProcessor: ImageProcessor {
    enum Item: Sendable { case image, data }

    let identifier: String
    private let result: @Sendable (Image) -> Image?
    private let seen = Mutex<[Item]>([])

    init(_ identifier: String, _ result: @escaping @Sendable (Image) -> Image? = { $0 }) {
        self.identifier = identifier
        self.result = result
    }

    var items: [Item] { seen.withLock { $0 } }
    var calls: Int { items.count }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
        seen.withLock { seen in
            if case .data = item { seen.append(.data) } else { seen.append(.image) }
        }
        return DefaultImageProcessor.default.process(item: item, options: options).flatMap(result)
    }
}

/// A serializer that counts its calls and can be made to fail.
final class CountingSerializer: CacheSerializer {
    let originalDataUsed: Bool
    private let output: @Sendable (Image, Data?) -> Data?
    private let counts = Mutex((encoded: 0, decoded: 0))

    init(
        originalDataUsed: Bool = false,
        output: @escaping @Sendable (Image, Data?) -> Data? = {
            DefaultCacheSerializer.default.data(with: $0, original: $1)
        }
    ) {
        self.originalDataUsed = originalDataUsed
        self.output = output
    }

    var encoded: Int { counts.withLock(\.encoded) }
    var decoded: Int { counts.withLock(\.decoded) }

    func data(with image: Image, original: Data?) -> Data? {
        counts.withLock { $0.encoded += 1 }
        return output(image, original)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        counts.withLock { $0.decoded += 1 }
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

/// A modifier that counts its calls and changes the rendering mode.
final class CountingModifier: ImageModifier {
    private let count = Mutex(0)

    var calls: Int { count.withLock { $0 } }

    func modify(_ image: Image) -> Image {
        count.withLock { $0 += 1 }
        return image.withRenderingMode(.alwaysTemplate)
    }
}
