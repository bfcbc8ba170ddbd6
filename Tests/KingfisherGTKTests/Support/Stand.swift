import Foundation
import Kingfisher
import KingfisherTestSupport
import KingfisherTransport
import Synchronization

/// A cache and a downloader of one test alone, over images of one colour: that of number n is `color(n)`.
@MainActor final class Stand {
    let transport: StubTransport
    let cache: ImageCache
    let options: KingfisherOptionsInfo
    private let folder = TestFolders.unused()

    init(side: Int = 16) throws {
        transport = StubTransport { request in
            guard let number = request.url.flatMap({ Int($0.lastPathComponent) }),
                let data = try? Image.solid(Stand.color(number), width: side, height: side).pngData()
            else { return StubAnswer(status: 404) }
            return .ok(data)
        }
        cache = try ImageCache(name: "stand", cacheDirectoryURL: folder)
        options = [
            .targetCache(cache), .downloader(ImageDownloader(name: "stand", transport: transport)),
        ]
    }

    isolated deinit { try? FileManager.default.removeItem(at: folder) }

    static func url(_ number: Int) -> URL { URL(string: "http://stand.test/\(number)")! }

    nonisolated static func color(_ number: Int) -> SIMD4<UInt8> {
        [UInt8(number & 0xff), UInt8(number >> 8 & 0xff), 77, 255]
    }

    /// The number of the image that `image` is.
    static func number(of image: Image) -> Int? {
        image.pixels?.samples(x: 0, y: 0).map { $0[0] | $0[1] << 8 }
    }
}

/// An image view that is counted while it lives.
final class CountedImageView: ImageView {
    private nonisolated static let count = LiveCount()
    private let life = LiveCount.Life(count)

    static var alive: Int { count.value }
}

/// Counts objects that live.
final class LiveCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    /// Lives as long as its owner.
    final class Life: Sendable {
        private let owner: LiveCount

        init(_ owner: LiveCount) {
            self.owner = owner
            owner.count.withLock { $0 += 1 }
        }

        deinit { owner.count.withLock { $0 -= 1 } }
    }
}
