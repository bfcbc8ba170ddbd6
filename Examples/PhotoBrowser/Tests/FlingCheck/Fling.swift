import KingfisherGTK
import PhotoBrowser

/// The figures of one fling through a grid.
@MainActor struct Fling {
    private static let speed = 3_000.0

    let percentile99: Double
    let frames: Int
    let seconds: Double
    /// The numbers of photos whose cells were filled and are out of sight at the end.
    let skipped: Set<Int>
    /// Cells in frames that showed the photo of another position.
    let stale: Int
    /// Visible cells without their photo at the end.
    let missing: Int

    static func run(
        in app: Application, over photos: Photos,
        thumbnail: @escaping (URL, DesktopThumbnailSize) -> Source?
    ) async -> Fling {
        var filled: Set<Int> = []
        var loads = false
        let grid = PhotoGrid { photo, size in
            if let number = Int(photo.deletingPathExtension().lastPathComponent) { filled.insert(number) }
            let source = thumbnail(photo, size)
            loads = loads || source != nil
            return source
        }
        grid.photos = photos.urls
        let window = app.showWindow(
            title: "Fling", size: CGSize(width: 1000, height: 700), content: grid)
        defer { if let window { gtk_window_destroy(window) } }
        await wait { visible(grid).count > 10 }
        await wait { !loads || visible(grid).allSatisfy { $0.cell.image != nil } }
        let first = filled
        let frames = Frames(of: grid)
        var stale = 0
        frames.onFrame = {
            for (cell, position) in grid.cells.cells {
                guard let image = cell.image else { continue }
                if Photos.number(of: image) != position { stale += 1 }
            }
        }
        await wait { frames.times.count > 30 }
        frames.restart()
        let (count, seconds) = await scroll(grid, frames)
        let percentile99 = frames.percentile99
        let bound = Set(grid.cells.cells.map(\.position))
        await wait { !loads || visible(grid).allSatisfy { $0.cell.image != nil } }
        let missing = loads ? visible(grid).count { $0.cell.image.flatMap(Photos.number) != $0.position } : 0
        frames.onFrame = nil
        return Fling(
            percentile99: percentile99, frames: count, seconds: seconds,
            skipped: filled.subtracting(first).subtracting(bound), stale: stale, missing: missing)
    }

    /// Scrolls to the end. The result is the number of frames and the seconds.
    private static func scroll(_ grid: PhotoGrid, _ frames: Frames) async -> (frames: Int, seconds: Double) {
        let began = ContinuousClock.now
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(grid.content))
        let range = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
        var seen = 0
        await wait(upTo: .seconds(120)) {
            guard frames.times.count > seen else { return false }
            seen = frames.times.count
            let place = (ContinuousClock.now - began) / .seconds(1) * speed
            gtk_adjustment_set_value(adjustment, min(place, range))
            return place >= range
        }
        return (seen, (ContinuousClock.now - began) / .seconds(1))
    }

    private static func visible(_ grid: PhotoGrid) -> [(cell: ImageView, position: Int)] {
        grid.cells.cells.filter { cell, _ in
            cell.renderer?.display.isVisible == true && cell.renderer?.scrollPlace?.distance == 0
        }
    }

    /// Runs the main loop until a condition holds, or for `limit`.
    @discardableResult
    static func wait(upTo limit: Duration = .seconds(20), until condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while !condition() {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }
}
