import Foundation
import KingfisherGTK
import PhotoBrowser

@main struct PhotoBrowserProgram {
    @MainActor static func main() {
        Application(id: "org.example.PhotoBrowser").run { app in
            let browser = PhotoBrowser()
            let folder = CommandLine.arguments.dropFirst().first ?? "."
            app.showWindow(title: "Photos", size: CGSize(width: 1000, height: 700), content: browser)
            Task { await browser.browse(URL(filePath: folder)) }
        }
    }
}
