import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

/// What a recipe needs: a server with the photographs of the fixtures, and a folder.
@MainActor struct Kitchen {
    let server: LoopbackServer
    let folder: URL
    let cache: ImageCache

    /// A photograph; one with the prefix `slow-` stops after three fifths of its bytes.
    func url(_ name: String) -> URL { server.url("/\(name)") }
}

/// A view of the cookbook, and the state in which its screenshot is taken.
struct Recipe: CustomTestStringConvertible, Sendable {
    /// The name of the recipe's file and of its screenshot.
    let name: String
    let width: Int32
    let height: Int32
    /// Around the view, in points.
    let margin: Int32
    let make: @MainActor @Sendable (Kitchen) async throws -> View
    /// Whether the view has reached its state.
    let isReady: @MainActor @Sendable (View) -> Bool

    var testDescription: String { name }

    init(
        _ name: String, _ width: Int32, _ height: Int32, margin: Int32 = 0,
        make: @escaping @MainActor @Sendable (Kitchen) async throws -> View,
        until isReady: @escaping @MainActor @Sendable (View) -> Bool = showsImages
    ) {
        (self.name, self.width, self.height, self.margin) = (name, width, height, margin)
        (self.make, self.isReady) = (make, isReady)
    }
}

/// Whether each visible image view shows its image, and there is one.
@MainActor private func showsImages(_ view: View) -> Bool {
    let views = view.shownImageViews
    return !views.isEmpty
        && views.allSatisfy { $0.image != nil && !$0.accessibility.isBusy && $0.transitionProgress >= 1 }
}

extension View {
    /// The image views in the view that are on screen.
    fileprivate var shownImageViews: [ImageView] {
        ViewWidgetClass.views(in: widget).flatMap(\.imageViews)
            .filter { $0.renderer?.display.isVisible == true && $0.renderer?.scrollPlace?.distance ?? 0 == 0 }
    }
}

extension Recipe {
    static let all: [Recipe] = [
        Recipe("AvatarRow", 300, 72, margin: 12) {
            personRow(name: "Eileen Collins", role: "Commander", avatar: $0.url("astronaut.jpg"))
        },
        Recipe("BlurredBackground", 480, 270) { photoOnBlur($0.url("astronaut.jpg")) },
        Recipe("OfflineReader", 344, 270, margin: 12) { kitchen in
            let page = kitchen.url("coffee.jpg")
            guard await download([page], to: kitchen.cache) else { throw CocoaError(.fileReadUnknown) }
            kitchen.server.stop()
            return offlinePage(
                "Coffee is brewed from the roasted seeds of a tropical plant.", image: page,
                in: kitchen.cache)
        },
        Recipe("FolderGrid", 540, 252) { kitchen in
            try FileManager.default.createDirectory(at: kitchen.folder, withIntermediateDirectories: true)
            for name in ["astronaut", "chelsea", "coffee", "hubble", "retina", "rocket"] {
                try Fixtures.data(named: "Photos/\(name).jpg")
                    .write(to: kitchen.folder.appending(path: "\(name).jpg"))
            }
            return grid(of: await images(in: kitchen.folder)) { _, _ in }
        },
        Recipe("Progress", 400, 200) {
            photoWithProgress($0.url("slow-rocket.jpg"))
        } until: { view in
            let bar = view.subviews.first as? WidgetView
            return bar.map { gtk_progress_bar_get_fraction(OpaquePointer($0.content)) > 0.5 } ?? false
        },
        Recipe("BlurHash", 300, 200) {
            photo($0.url("slow-chelsea.jpg"), blurHash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj")
        } until: {
            $0.shownImageViews.first?.kf.placeholder != nil
        },
        Recipe("RetryButton", 400, 200) {
            photoWithRetry($0.url("missing.jpg"))
        } until: {
            $0.subviews.first?.isHidden == false
        },
        Recipe("HoverAnimation", 200, 150) { sticker($0.url("cat.gif")) },
        Recipe("DarkVariants", 240, 160) { _ in
            setDark(true)
            return try cover(nil, light: .note(38), dark: .note(222))
        },
        Recipe("ImageInText", 380, 130, margin: 12) {
            message("The cat ", image: $0.url("chelsea.jpg"), " slept all day.")
        } until: {
            Screenshot(of: $0)?.box { Self.isColored($0) }?.width ?? 0 > 100
        },
        Recipe("ImageButton", 240, 96) {
            albumButton("Holidays", cover: $0.url("coffee.jpg")) {}
        } until: {
            ($0 as? Button)?.image != nil
        },
        Recipe("LargePhoto", 480, 320) { kitchen in
            let thumbnail = KingfisherWrapper<Image>.downsampledImage(
                data: try Fixtures.data(named: "Photos/rocket.jpg"), to: CGSize(width: 64, height: 64),
                scale: 1)
            return largePhoto(kitchen.url("rocket.jpg"), thumbnail: thumbnail)
        },
        Recipe("ZoomablePhoto", 480, 320, margin: 6) { kitchen in
            try FileManager.default.createDirectory(at: kitchen.folder, withIntermediateDirectories: true)
            let file = kitchen.folder.appending(path: "launch-pad.jpg")
            try Fixtures.data(named: "Photos/launch-pad.jpg").write(to: file)
            return zoomablePhoto(file)
        } until: {
            Screenshot(of: $0)?.box { Self.isColored($0) }?.width ?? 0 > 100
        },
        Recipe("TitleOverPhoto", 480, 160) { banner("Hubble", photo: $0.url("hubble.jpg")) },
        Recipe("DeclarativeImage", 264, 190, margin: 12) { card($0.url("retina.jpg"), title: "Retina") },
        Recipe("AlternativeSources", 320, 220) {
            photo(
                $0.url("gone.jpg"), mirrors: [$0.url("launch-pad.jpg")], small: $0.url("launch-pad.jpg"))
        },
        Recipe("CopyImage", 300, 240, margin: 12) {
            photoToCopy($0.url("coffee.jpg"))
        } until: {
            $0.shownImageViews.contains { $0.image != nil }
        },
        Recipe("DragIcon", 300, 200) { draggablePhoto($0.url("retina.jpg")) },
        Recipe("OwnSnapshot", 400, 200) { kitchen in
            let size = DownsamplingImageProcessor(size: CGSize(width: 80, height: 80))
            let url = kitchen.url("launch-pad.jpg")
            let result = try await KingfisherManager.shared.retrieveImage(
                with: url, options: [.processor(size)])
            return tiles(of: result.image)
        } until: { _ in
            true
        },
    ]

    @MainActor static func setDark(_ isDark: Bool) {
        var value = GValue()
        g_value_init(&value, g_type_from_name("gboolean"))
        g_value_set_boolean(&value, isDark ? 1 : 0)
        let settings = UnsafeMutableRawPointer(gtk_settings_get_default()!)
        g_object_set_property(
            settings.assumingMemoryBound(to: GObject.self), "gtk-application-prefer-dark-theme", &value)
    }

    private static func isColored(_ pixel: String) -> Bool {
        let channels = stride(from: 2, to: 8, by: 2).compactMap { offset in
            Int(pixel.dropFirst(offset).prefix(2), radix: 16)
        }
        return (channels.max() ?? 0) - (channels.min() ?? 0) > 40
    }
}

extension Image {
    /// A frame with a diagonal in one gray, on transparent.
    fileprivate static func note(_ gray: UInt8) throws -> Image {
        let side = 96
        let pixels = try PixelBuffer(width: side, height: side, format: .rgba8Straight) { rows, bytesPerRow in
            for y in 0..<side {
                for x in 0..<side {
                    let isFrame = min(x, y, side - 1 - x, side - 1 - y) < 6
                    let isHill = y > side / 3 + abs(x - side / 2)
                    for channel in 0..<4 {
                        rows[y * bytesPerRow + x * 4 + channel] =
                            channel < 3 ? gray : isFrame || isHill ? 255 : 0
                    }
                }
            }
        }
        return Image(pixels: pixels)
    }
}
