import Foundation
import KingfisherFormats
import KingfisherGTK
import PhotoBrowser

@main struct PhotoBrowserProgram {
    @MainActor static func main() {
        ImageCodecs.registerAll()
        Application(id: "org.example.PhotoBrowser").run { app in
            let browser = PhotoBrowser()
            app.showWindow(title: "Photos", size: CGSize(width: 1000, height: 700), content: browser)
            Task { await browser.browse(URL(filePath: CommandLine.arguments.dropFirst().first ?? ".")) }
        }
    }
}
