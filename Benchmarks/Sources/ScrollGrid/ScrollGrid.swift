import CScroll
import KingfisherGTK

/// Scrolls a grid of photographs through the library, as `peer_grid.c` does without it. Ends when all
/// thumbnails are on disk.
///
///     ScrollGrid LIST WIDTH HEIGHT BYTES
///
/// LIST is a file with the path of a photograph in each line; BYTES is the limit of the memory cache.
@main enum ScrollGrid {
    @MainActor static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 3, let list = try? String(contentsOfFile: arguments[1], encoding: .utf8) else {
            fail("usage: ScrollGrid LIST WIDTH HEIGHT BYTES")
        }
        let photos = list.split(separator: "\n").map { URL(filePath: String($0)) }
        let size = CGSize(width: numbers[0], height: numbers[1])
        ImageCache.default.memoryStorage.config.totalCostLimit = numbers[2]
        let status = Application(id: "scroll-grid").run { application in
            let grid = PhotoGrid(photos, thumbnails: size)
            application.showWindow(title: "Scroll", size: CGSize(width: 1000, height: 700), content: grid)
            grid.scroll {
                Task {
                    await grid.waitForDisk()
                    kf_scroll_report()
                    application.quit()
                }
            }
        }
        exit(status)
    }

    static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("ScrollGrid: \(text)\n".utf8))
        exit(1)
    }
}

/// Has the cells of the photo browser.
@MainActor final class PhotoGrid: WidgetView {
    private let photos: [URL]
    private let processor: DownsamplingImageProcessor
    private var views: [UnsafeMutableRawPointer: ImageView] = [:]
    private var end: () -> Void = {}

    init(_ photos: [URL], thumbnails size: CGSize) {
        self.photos = photos
        processor = DownsamplingImageProcessor(size: size)
        let scroller = gtk_scrolled_window_new()!
        super.init(wrapping: scroller)
        let cells = CellFactory { [unowned self] () -> ImageView in
            let view = ImageView()
            view.contentMode = .scaleAspectFit
            gtk_widget_set_size_request(view.widget, Int32(size.width), Int32(size.height))
            views[UnsafeMutableRawPointer(view.widget)] = view
            return view
        } fill: { [unowned self] (view: ImageView, position) in
            view.kf.setImage(with: photos[position], options: [.processor(processor)]) { result in
                guard case .failure(let error) = result else { return }
                // Of a local file, this is the end of a load whose cell was scrolled out of sight.
                guard case .requestError = error else { ScrollGrid.fail("\(error)") }
            }
        }
        let names = gtk_string_list_new(nil)
        for photo in photos { gtk_string_list_append(names, photo.path) }
        let grid = gtk_grid_view_new(gtk_no_selection_new(names), cells.makeFactory())!
        gtk_grid_view_set_max_columns(OpaquePointer(grid), 12)
        gtk_scrolled_window_set_child(OpaquePointer(scroller), grid)
    }

    isolated deinit {}

    func scroll(atEnd end: @escaping () -> Void) {
        self.end = end
        kf_scroll(
            content,
            { cell, data in
                nonisolated(unsafe) let (cell, data) = (cell!, data!)  // GTK calls on the main thread.
                return MainActor.assumeIsolated {
                    Unmanaged<PhotoGrid>.fromOpaque(data).takeUnretainedValue().views[cell]?.image != nil
                }
            },
            { data in
                nonisolated(unsafe) let data = data!  // GTK calls on the main thread.
                MainActor.assumeIsolated {
                    Unmanaged<PhotoGrid>.fromOpaque(data).takeUnretainedValue().end()
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Thumbnails are stored after they are shown.
    func waitForDisk() async {
        let cache = ImageCache.default
        for photo in photos {
            let key = "\(photo.cacheKey)@\(processor.identifier)"
            while !cache.diskStorage.isCached(forKey: key) {
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
