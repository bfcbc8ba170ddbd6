import CGtk
import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Loading, layout, lifetime and description of a zoomable image view.
    @Suite(.serialized) @MainActor struct ZoomableImages {
        private typealias Results = Inbox<Result<TiledImage, KingfisherError>>

        private func file(_ image: Image) throws -> Source {
            let folder = TestFolders.unused()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = folder.appending(path: "image.png")
            try #require(image.pngData()).write(to: url)
            return .provider(LocalFileImageDataProvider(fileURL: url))
        }

        private func isSuperseded(_ result: Result<TiledImage, KingfisherError>?) -> Bool {
            guard case .failure(.imageSettingError(.notCurrentSourceTask)) = result else { return false }
            return true
        }

        @Test("A load shows the image, and a later one supersedes an earlier one")
        func loads() async throws {
            let image = try Image.solid([9, 200, 9, 255], width: 90, height: 60)
            let source = try file(image)
            let view = ZoomableImageView()
            let window = TestWindow(width: 200, height: 200)
            try #require(await window.present(view))
            let (first, second) = (Results(), Results())
            view.setImage(with: source) { first.put($0) }
            view.setImage(with: source) { second.put($0) }
            #expect(view.accessibility.isBusy)
            let shown = try #require(try await second.first(1).first).get()
            #expect(view.image === shown && shown.size == PixelSize(width: 90, height: 60))
            #expect(isSuperseded(try await first.first(1).first))
            let box = CGRect(x: 55, y: 70, width: 90, height: 60)
            #expect(await GTK.wait { Screenshot(of: view)?.box(of: "ff09c809") == box })
            #expect(!view.accessibility.isBusy)
            view.image = nil
            #expect(try await Screenshot.take(of: view).box(of: "ff09c809") == nil)
            #expect(first.count == 1 && second.count == 1)
        }

        @Test("The current image stays while another one loads, if the option says so")
        func keepsImage() async throws {
            let source = try file(.red)
            let view = ZoomableImageView()
            let results = Results()
            view.setImage(with: source) { results.put($0) }
            let first = try #require(try await results.first(1).last).get()
            view.setImage(with: source, options: [.keepCurrentImageWhileLoading]) { results.put($0) }
            #expect(view.image === first)
            let second = try #require(try await results.first(2).last).get()
            #expect(view.image === second && second !== first)
            view.setImage(with: source) { results.put($0) }
            #expect(view.image == nil)
            view.image = first
            #expect(isSuperseded(try await results.first(3).last))
            #expect(view.image === first)
        }

        @Test("No source, a missing file and a released view complete with errors")
        func failures() async throws {
            let missing = Source.provider(LocalFileImageDataProvider(fileURL: TestFolders.unused()))
            let results = Results()
            var view: ZoomableImageView? = ZoomableImageView()
            view?.onFailure = { _ in Issue.record("there was no image") }
            view?.setImage(with: nil) { results.put($0) }
            guard case .failure(.imageSettingError(.emptySource)) = results.values.last else {
                Issue.record("\(results.values)")
                return
            }
            view?.setImage(with: missing) { results.put($0) }
            guard case .failure(.cacheError) = try await results.first(2).last else {
                Issue.record("\(results.values)")
                return
            }
            #expect(view?.accessibility.isBusy == false)
            view?.setImage(with: missing) { results.put($0) }
            view = nil
            #expect(isSuperseded(try await results.first(3).last))
        }

        @Test("A window that changes its size keeps all of the image visible, or the centre at its zoom")
        func resize() async throws {
            let rig = try await ZoomRig(SyntheticTiles(width: 4200, height: 1800))
            let window = try #require(rig.window.widget)
            func resize(_ width: Int32, _ height: Int32) async -> Bool {
                let object = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
                gtk_window_set_default_size(object, width, height)
                return await GTK.wait {
                    gtk_widget_get_width(rig.view.canvas.widget) == width
                        && gtk_widget_get_height(rig.view.canvas.widget) == height
                }
            }
            try #require(await resize(420, 600))
            #expect(rig.view.zoom == 0.1 && rig.view.isFitted)
            #expect(await GTK.wait { rig.zooms.last == 0.1 })
            rig.view.zoomToActualSize()
            rig.view.canvas.change { $0.scroll(to: CGPoint(x: 1000, y: 600)) }
            try #require(await resize(500, 500))
            #expect(rig.view.zoom == 1)
            #expect(try rig.viewport.offset == CGPoint(x: 960, y: 650))
            let horizontal = gtk_scrolled_window_get_hadjustment(OpaquePointer(rig.view.content))
            #expect(gtk_adjustment_get_value(horizontal) == 960)
            #expect(gtk_adjustment_get_page_size(horizontal) == 500)
        }

        @Test("The view describes itself as an image with its zoom")
        func accessibility() async throws {
            let rig = try await ZoomRig(SyntheticTiles(width: 1400, height: 600))
            rig.view.alternativeText = "A map"
            let description = rig.view.accessibility
            #expect(description.role == .image && description.label == "A map" && !description.isBusy)
            #expect(description.description == "50 %")
            rig.view.zoomToActualSize()
            #expect(rig.view.accessibility.description == "100 %")
            #expect(ZoomableImageView().accessibility.description == nil)
            #expect(WidgetAdapter.adapter(of: rig.view).accessibleWidget == rig.view.canvas.widget)
            #expect(
                gtk_accessible_get_accessible_role(OpaquePointer(rig.view.canvas.widget))
                    == GTK_ACCESSIBLE_ROLE_IMG)
            rig.view.grabFocus()
            #expect(gtk_widget_is_focus(rig.view.canvas.widget) != 0)
            #expect(gtk_widget_get_focusable(rig.view.content) == 0)
        }

        @Test("A view that is released cancels its tiles and destroys its widgets")
        func lifetime() async throws {
            let source = SyntheticTiles(width: 4200, height: 1800)
            weak var canvas: ZoomCanvas?
            weak var loader: TileLoader<Texture>?
            do {
                let rig = try await ZoomRig(source)
                source.isHolding = true
                rig.view.zoomToActualSize()
                #expect(await GTK.wait { source.started.count == 4 })
                (canvas, loader) = (rig.view.canvas, rig.view.canvas.loader)
                rig.window.close()
            }
            #expect(await GTK.wait { canvas == nil && loader == nil && source.cancelled.count == 4 })
        }

        @Test("A view that leaves the screen cancels its tiles, and asks again when it returns")
        func hiding() async throws {
            let source = SyntheticTiles(width: 4200, height: 1800)
            let rig = try await ZoomRig(source)
            source.isHolding = true
            rig.view.zoomToActualSize()
            #expect(await GTK.wait { source.started.count == 4 })
            rig.view.isHidden = true
            #expect(await GTK.wait { source.cancelled.count == 4 })
            source.isHolding = false
            rig.view.isHidden = false
            try await rig.settle()
            #expect(source.started.count > 4)
        }
    }
}
