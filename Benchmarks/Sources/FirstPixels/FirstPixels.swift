import CSystem
import KingfisherGTK

/// Measures loads of an image into a fresh view, from the call to the frame that shows it. Run by the driver,
/// alternating with `pixbuf_view.c`, which does the same without this library.
@main enum FirstPixels {
    /// The size of the view in points and pixels.
    private static let side = 300

    @MainActor static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let origin = arguments.first.flatMap(ImageOrigin.init) else {
            fail("usage: FirstPixels memory|disk|network FILE_OR_URL CACHE_FOLDER")
        }
        let (place, folder) = (arguments[2], URL(filePath: arguments[3], directoryHint: .isDirectory))
        let status = Application(id: "first-pixels").run { application in
            do {
                let load = try ImageLoad(from: origin, at: place, cachingIn: folder, side: side)
                let window = try TestWindow(in: application, side: side)
                serve {
                    try await window.measure(load)
                } atEnd: {
                    application.quit()
                }
            } catch {
                fail("\(error)")
            }
        }
        exit(status)
    }

    /// Responds to each `clocks` on standard input with wall and CPU time of one load in nanoseconds.
    @MainActor private static func serve(
        _ measure: @escaping @MainActor () async throws -> Times, atEnd: @escaping @MainActor () -> Void
    ) {
        // A separate thread: a blocked one would be missing in the pool of Swift's tasks.
        Thread.detachNewThread {
            while let line = readLine() {
                guard line == "clocks" else { fail("unknown command: \(line)") }
                Task { @MainActor in
                    do {
                        let times = try await measure()
                        // Not print, which would need fflush(nil), and that waits for readLine.
                        FileHandle.standardOutput.write(Data("\(times.wall) \(times.processor)\n".utf8))
                    } catch {
                        fail("\(error)")
                    }
                }
            }
            Task { @MainActor in atEnd() }
        }
    }

    nonisolated static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("FirstPixels: \(text)\n".utf8))
        exit(1)
    }
}

struct FirstPixelsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

struct Times {
    let wall: Int64
    let processor: Int64

    static var now: Times { Times(wall: kf_wall_time(), processor: kf_processor_time()) }

    static func - (end: Times, start: Times) -> Times {
        Times(wall: end.wall - start.wall, processor: end.processor - start.processor)
    }
}
