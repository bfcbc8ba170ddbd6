import Foundation
import Kingfisher
import KingfisherTestSupport
import KingfisherTransport
import Synchronization

/// A separate cache and a stubbed downloader. The image of URL number n has the single colour `color(n)`.
@MainActor final class LoadingRig {
    let transport: StubTransport
    let cache: ImageCache
    let options: KingfisherOptionsInfo
    private let folder = TestFolders.unused()

    init(side: Int = 16) throws {
        transport = StubTransport { request in
            guard let number = request.url.flatMap({ Int($0.lastPathComponent) }),
                let data = try? Image.solid(LoadingRig.color(number), width: side, height: side).pngData()
            else { return StubAnswer(status: 404) }
            return .ok(data)
        }
        cache = try ImageCache(name: "rig", cacheDirectoryURL: folder)
        options = [
            .targetCache(cache), .downloader(ImageDownloader(name: "rig", transport: transport)),
        ]
    }

    isolated deinit { try? FileManager.default.removeItem(at: folder) }

    static func url(_ number: Int) -> URL { URL(string: "http://rig.test/\(number)")! }

    nonisolated static func color(_ number: Int) -> SIMD4<UInt8> {
        [UInt8(number & 0xff), UInt8(number >> 8 & 0xff), 77, 255]
    }

    /// The number that the colour of `image` encodes.
    static func number(of image: Image) -> Int? {
        image.pixels?.samples(x: 0, y: 0).map { $0[0] | $0[1] << 8 }
    }
}

/// An image view that counts its live instances.
final class CountedImageView: ImageView {
    private nonisolated static let count = LiveCount()
    private let life = LiveCount.Life(count)

    static var alive: Int { count.value }
}

/// A count of live objects.
final class LiveCount: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    /// Counts while it is alive. Store it in the object to count.
    final class Life: Sendable {
        private let owner: LiveCount

        init(_ owner: LiveCount) {
            self.owner = owner
            owner.count.withLock { $0 += 1 }
        }

        deinit { owner.count.withLock { $0 -= 1 } }
    }
}
