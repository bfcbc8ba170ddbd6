import Foundation
import Kingfisher
import Synchronization

/// Opens a large image, and decodes its first view in a window.
struct ZoomOpen: Workload {
    private let file: URL
    private let window: PixelSize

    init(path: String, size: ArraySlice<String>) throws {
        let sides = size.compactMap { Int($0) }
        guard sides.count == 2 else { throw BenchmarkError("zoom-open FILE WIDTH HEIGHT") }
        file = URL(fileURLWithPath: path)
        window = PixelSize(width: sides[0], height: sides[1])
    }

    func run() throws -> Int {
        let end = DispatchSemaphore(value: 0)  // One image after another, on the main thread.
        let width = Mutex(0)
        Task { [file, window] in
            let source = Source.provider(LocalFileImageDataProvider(fileURL: file))
            let view = try? await TiledImage.open(source).overview(covering: window)
            width.withLock { $0 = view?.pixels?.width ?? 0 }
            end.signal()
        }
        end.wait()
        return width.withLock { $0 }
    }
}
