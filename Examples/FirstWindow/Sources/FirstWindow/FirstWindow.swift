import KingfisherGTK

@main struct FirstWindow {
    @MainActor static func main() {
        Application(id: "org.example.FirstWindow").run { app in
            let view = ImageView()
            view.contentMode = .scaleAspectFit
            view.kf.indicatorType = .activity
            KF.url(CommandLine.arguments.dropFirst().first.flatMap { URL(string: $0) })
                .roundCorner(radius: .point(20)).serialize(as: .PNG)  // JPEG has no transparent corners.
                .fade(duration: 0.3).set(to: view)
            app.showWindow(title: "First window", size: CGSize(width: 640, height: 480), content: view)
        }
    }
}
