import Foundation
import KingfisherGTK
import PhotoBrowser

/// Scrolls the browser's grid at 3,000 points per second, with and without loads.
///
/// Fails if loads exceed `limit` in more than one of 100 frames, if a cell shows another photo than its own,
/// or if a tenth of the cells that are passed is loaded.
///
///     FlingCheck FOLDER COUNT
@main @MainActor struct FlingCheck {
    /// Milliseconds of the main thread in a frame, beyond those of a grid without loads.
    private static var limit: Double {
        #if DEBUG
            40  // Code that is not optimized takes about 15.
        #else
            4
        #endif
    }

    static func main() {
        var isGood = false
        Application(id: "").run { app in
            Task {
                do {
                    isGood = try await check(app)
                } catch {
                    FileHandle.standardError.write(Data("fling: \(error)\n".utf8))
                }
                app.quit()
            }
            // Keeps the program running until the first grid is shown.
            app.showWindow(title: "Fling", size: CGSize(width: 200, height: 100), content: View())
        }
        exit(isGood ? EXIT_SUCCESS : EXIT_FAILURE)
    }

    private static func check(_ app: Application) async throws -> Bool {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]) else { throw CocoaError(.formatting) }
        let photos = try await Photos.write(count, to: URL(filePath: arguments[1]))
        let empty = await Fling.run(in: app, over: photos) { _, _ in nil }
        let log = RequestLog()
        let loading = await Fling.run(in: app, over: photos) { photo, size in
            .provider(CountedProvider(DesktopThumbnailProvider(fileURL: photo, size: size), log: log))
        }
        let wasted = loading.skipped.intersection(log.numbers).count
        let share = 100 * Double(wasted) / Double(max(loading.skipped.count, 1))
        print(
            """
            fling: \(count) photos at 3,000 points/s for \(Int(loading.seconds)) s, \(loading.frames) frames; \
            main thread per frame, p99: \(text(loading.percentile99)) ms, without loads \
            \(text(empty.percentile99)) ms; \(loading.skipped.count) cells skipped, \
            \(text(share)) % of them loaded; \(loading.stale) stale images, \(loading.missing) missing at rest
            """)
        return loading.percentile99 <= empty.percentile99 + limit && share < 10 && loading.stale == 0
            && loading.missing == 0 && loading.skipped.count * 4 > count && log.numbers.count > 20
    }

    private static func text(_ value: Double) -> String { String(format: "%.1f", value) }
}
