import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import KingfisherTransport
import Testing

extension GTKTests {
    /// `kf.setImage` from the transport to the pixels of a widget in a window.
    @Suite(.serialized) @MainActor final class Loading {
        private let window = TestWindow()
        private let view = ImageView()
        private let clock = ManualAnimationClock()
        private let transport: StubTransport
        private let folder: URL
        private let options: KingfisherOptionsInfo
        private let images: [URL]

        init() throws {
            images = ["red", "blue"].compactMap { URL(string: "http://stub.test/\($0).png") }
            let bytes = try [Image.red, Image.blue].map { try #require($0.pngData()) }
            transport = StubTransport(
                Dictionary(uniqueKeysWithValues: zip(images, bytes.map { StubAnswer.ok($0) })))
            transport.hold()
            folder = TestFolders.unused()
            let cache = try ImageCache(name: "views", cacheDirectoryURL: folder)
            options = [
                .targetCache(cache), .downloader(ImageDownloader(name: "views", transport: transport)),
                .transition(.fade(2)),
            ]
            view.clock = clock
        }

        isolated deinit { try? FileManager.default.removeItem(at: folder) }

        private var middle: String { Drawing(of: view, width: 8, height: 8)[4, 4] }

        @Test("A load shows placeholder and spinner, then a fade, then the image")
        func loadSequence() async throws {
            view.kf.indicatorType = .activity
            let spinner = try #require(view.kf.indicator).view.widget
            try #require(await window.present(view))
            var results: [Result<RetrieveImageResult, KingfisherError>] = []
            view.kf.setImage(with: images[0], placeholder: try Image.blue, options: options) {
                results.append($0)
                #expect(gtk_widget_get_visible(spinner) == 0)
            }
            #expect(middle == "ff0000ff")
            #expect(await GTK.wait { gtk_widget_get_mapped(spinner) != 0 })
            #expect(await GTK.wait { self.transport.requests.count == 1 })

            transport.release()
            #expect(await GTK.wait { self.view.runningTransition != nil })
            #expect(gtk_widget_get_mapped(spinner) == 0)
            clock.advance(by: 0.5)
            #expect(middle == "ff4000bf")
            #expect(results.isEmpty)
            clock.advance(by: 1.5)
            #expect(await GTK.wait { results.count == 1 })
            #expect(middle == "ffff0000")
            #expect(try results[0].get().cacheType == .none)
        }

        @Test("An image in memory is drawn synchronously without a transition")
        func memoryHit() async throws {
            transport.release()
            try #require(await window.present(view))
            let quick = options + [.transition(.none)]
            var isLoaded = false
            view.kf.setImage(with: images[0], options: quick) { _ in isLoaded = true }
            #expect(await GTK.wait { isLoaded })

            view.kf.setImage(with: images[0], options: options)
            #expect(view.runningTransition == nil)
            #expect(middle == "ffff0000")
        }

        /// As a list does with the view of a cell.
        @Test("A reused view shows only its latest image, and earlier loads are superseded")
        func reusedView() async throws {
            try #require(await window.present(view))
            let quick = options + [.transition(.none)]
            var answers: [String] = []
            for index in 0..<21 {
                view.kf.setImage(with: images[index % 2], options: quick) { result in
                    switch result {
                    case .success: answers.append("shown")
                    case .failure(let error):
                        answers.append(error.isNotCurrentTask ? "superseded" : "\(error)")
                    }
                }
            }
            let latest = view.kf.taskIdentifier
            // Loads that were superseded before their request was sent do not send it.
            #expect(await GTK.wait { self.transport.requests.contains { $0.url == self.images[0] } })
            #expect(view.kf.taskIdentifier == latest)
            transport.release()
            #expect(await GTK.wait { answers.count == 21 })
            #expect(answers.filter { $0 == "shown" }.count == 1)
            #expect(answers.filter { $0 == "superseded" }.count == 20)
            #expect(middle == "ffff0000")
            #expect(view.kf.taskIdentifier == nil)
        }

        @Test("Closing the window during a fade completes the load")
        func closedDuringFade() async throws {
            transport.release()
            try #require(await window.present(view))
            var completions = 0
            view.kf.setImage(with: images[1], options: options) { _ in completions += 1 }
            #expect(await GTK.wait { self.view.runningTransition != nil })
            #expect(completions == 0)
            window.close()
            #expect(await GTK.wait { completions > 0 })
            #expect(completions == 1)
            #expect(middle == "ff0000ff")
        }

        @Test("Closing the window during a load releases the view, and the load completes once")
        func closedDuringLoad() async throws {
            weak var destroyed: ImageView?
            var completions = 0
            do {
                let other = ImageView()
                destroyed = other
                try #require(await window.present(other))
                other.kf.setImage(with: images[0], options: options) { _ in completions += 1 }
            }
            window.close()
            #expect(await GTK.wait { self.transport.requests.count == 1 && destroyed == nil })
            #expect(completions == 0)
            transport.release()
            #expect(await GTK.wait { completions == 1 })
        }
    }
}
